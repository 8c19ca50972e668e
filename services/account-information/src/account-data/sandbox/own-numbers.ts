import { danish, norwegian, swedish } from './account-number.ts';

/** Numbers of the simulated accounts, the same in every client's copy. */
export const OWN_NUMBERS = {
  frejaMain: danish('6695', '0001234567'),
  frejaBudget: danish('6695', '0001234575'),
  frejaSavings: danish('6695', '0001234583'),
  nordlys: danish('6695', '0007654321'),
  elsa: swedish('9712', '204816'),
  fjallvik: swedish('9712', '731045'),
  joint: norwegian('9801246821'),
};
