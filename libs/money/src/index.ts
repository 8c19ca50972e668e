export {
  decimalsOf,
  formatMoney,
  type Money,
  MoneyFormatError,
  parseBookedMoney,
  parseMoney,
} from './money.ts';
