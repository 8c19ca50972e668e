import { formatAccountNumber } from './account-number.model.ts';

describe('§5.9 an account number on a page', () => {
  it.each([
    ['Danish', '53010000123456', 'DK1253010000123456', 'DKK', '5301 0000123456'],
    ['Danish without IBAN', '53010000123456', '', 'DKK', '5301 0000123456'],
    ['Swedish of 11 digits', '97121182034', 'SE4550000000058398257466', 'SEK', '9712-1182034'],
    ['Swedish of 14 digits', '97120001182034', '', 'SEK', '9712-0001182034'],
    ['Norwegian', '86011117947', 'NO9386011117947', 'NOK', '8601.11.17947'],
    ['Norwegian in euro', '86011117947', 'NO9386011117947', 'EUR', '8601.11.17947'],
    ['of a length that its country does not have', '8601111794', '', 'NOK', '8601111794'],
    ['of a country that we do not know', 'ABNA0417164300', 'NL91ABNA0417164300', 'EUR', 'ABNA0417164300'],
    ['of nobody knows where', '0417164300', '', 'EUR', '0417164300'],
  ])('%s: %s (%s, %s) is %s', (_which, bban, iban, currency, written) => {
    expect(formatAccountNumber({ bban, iban, currency })).toBe(written);
  });
});
