export { decimalsOf, formatMoney, type Money, MoneyFormatError, parseMoney } from './money.ts';
