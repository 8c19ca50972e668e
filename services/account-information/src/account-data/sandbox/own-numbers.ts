import { danish, norwegian, swedish } from './account-number.ts';

/** Numbers of the simulated accounts by the accounts' keys; the same in every simulated bank. */
export const OWN_NUMBERS = {
  'freja-main': danish('6695', '0001234567'),
  'freja-budget': danish('6695', '0001234575'),
  'freja-savings': danish('6695', '0001234583'),
  'freja-sek': swedish('9712', '315620'),
  'nordlys-business': danish('6695', '0007654321'),
  'nordlys-sek': swedish('9712', '448210'),
  'elsa-main': swedish('9712', '204816'),
  'elsa-dkk': danish('6695', '0002468024'),
  'fjallvik-business': swedish('9712', '731045'),
  'fjallvik-dkk': danish('6695', '0008642086'),
  'joint-main': norwegian('9801246821'),
  'joint-dkk': danish('6695', '0003691215'),
  'joint-sek': swedish('9712', '562030'),
};
