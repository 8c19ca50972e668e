export { formatMoney, type Money, MoneyFormatError, parseMoney } from './money.ts';
