import { danish, norwegian, swedish } from './account-number.ts';

/** Numbers of the simulated accounts, the same in every simulated bank. */
export const OWN_NUMBERS = {
  frejaMain: danish('6695', '0001234567'),
  frejaBudget: danish('6695', '0001234575'),
  frejaSavings: danish('6695', '0001234583'),
  frejaSek: swedish('9712', '315620'),
  nordlys: danish('6695', '0007654321'),
  nordlysSek: swedish('9712', '448210'),
  elsa: swedish('9712', '204816'),
  elsaDkk: danish('6695', '0002468024'),
  fjallvik: swedish('9712', '731045'),
  fjallvikDkk: danish('6695', '0008642086'),
  joint: norwegian('9801246821'),
  jointDkk: danish('6695', '0003691215'),
  jointSek: swedish('9712', '562030'),
};
