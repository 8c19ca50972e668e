import { domesticCreditTransferRules, type TransferFields } from './domestic-credit-transfer.model.ts';
import { type SenderAccount, textOf } from './payment-type.model.ts';
import { PAYMENT_TYPES } from './payment-types.ts';

const FIELDS: TransferFields = {
  receiverAccountBban: '00400440116243',
  receiverName: 'Receiver',
  amount: '125.50',
  currency: 'DKK',
  senderAccountId: 'account',
};
const ACCOUNT: SenderAccount = {
  accountId: 'account',
  userId: 'user',
  bban: '00400440116251',
  ownerName: 'Owner',
  currency: 'DKK',
  supportsPayments: true,
  supportsTransfers: true,
};

/** The verdict in English. */
function validateTransfer(fields: TransferFields, account: SenderAccount | undefined) {
  const { errors, warnings } = domesticCreditTransferRules.validate(fields, account);
  const read = (found: typeof errors) =>
    found.map((finding) => ({ path: finding.path, message: textOf(finding).in('en') }));
  return { errors: read(errors), warnings: read(warnings) };
}

describe('wrong form is refused, wrong content is stored (§2.10)', () => {
  const { fields } = PAYMENT_TYPES['domestic-credit-transfer'];

  it.each([
    ['receiverAccountBban', 'x'.repeat(40)],
    ['receiverName', 'x'.repeat(140)],
    ['senderAccountId', 'x'.repeat(64)],
    ['amount', '-1'],
    ['amount', '999999999999999.999999999999999'],
    ['currency', 'XXX'],
  ])('stores %s: %s', (path, value) => {
    expect(fields.safeParse({ [path]: value }).data).toEqual({ [path]: value });
  });

  it.each([
    ['receiverAccountBban', 'x'.repeat(41)],
    ['receiverName', 'x'.repeat(141)],
    ['senderAccountId', 'x'.repeat(65)],
    ['amount', '1'.repeat(16)],
    ['amount', `1.${'1'.repeat(16)}`],
    ['amount', '--1'],
    ['currency', 'DKKK'],
  ])('refuses %s: %s', (path, value) => {
    expect(fields.safeParse({ [path]: value }).error?.issues).toEqual([
      expect.objectContaining({ path: [path] }),
    ]);
  });
});

describe('isValid becomes true when the required fields are filled and valid (§2.10)', () => {
  it('finds nothing wrong with the example that the interface shows', () => {
    const { example, fields } = PAYMENT_TYPES['domestic-credit-transfer'];
    expect(validateTransfer(fields.parse(example), ACCOUNT)).toEqual({ errors: [], warnings: [] });
  });

  it('finds no fault in a complete transfer', () => {
    expect(validateTransfer(FIELDS, ACCOUNT)).toEqual({ errors: [], warnings: [] });
  });

  it.each([
    ['amount', { amount: '0.00' }, 'is not positive'],
    ['amount', { amount: '-1' }, 'is not positive'],
    ['amount', { amount: '1.001' }, 'DKK has 2 decimals, not 3'],
    ['amount', { amount: '99999999999999.99' }, 'more than 15 digits'],
    ['currency', { currency: 'EUR' }, 'a domestic credit transfer is made in DKK, NOK or SEK'],
    ['currency', { currency: 'ZZZ' }, 'a domestic credit transfer is made in DKK, NOK or SEK'],
    [
      'receiverAccountBban',
      { receiverAccountBban: '1' },
      'account number: has 1 digits, not 14 (4 of the registration number, 10 of the account with leading zeros)',
    ],
  ])('says what is wrong with %s in %j: %s', (path, change, message) => {
    const account = { ...ACCOUNT, currency: 'currency' in change ? change.currency : 'DKK' };
    expect(validateTransfer({ ...FIELDS, ...change }, account).errors).toEqual([{ path, message }]);
  });

  it.each(['00400440116251', '0040 0440 1162 51', '0040-0440116251', ' 0040.0440.116.251 '])(
    'says that the money would go back to where it comes from: %s',
    (receiverAccountBban) => {
      expect(validateTransfer({ ...FIELDS, receiverAccountBban }, ACCOUNT).errors).toEqual([
        { path: 'receiverAccountBban', message: 'is the account that pays' },
      ]);
    },
  );

  it.each([
    [undefined, 'is not an account that you may use'],
    [{ ...ACCOUNT, supportsPayments: false }, 'the account does not support payments'],
    [{ ...ACCOUNT, supportsTransfers: false }, 'the account does not support credit transfers'],
    [{ ...ACCOUNT, currency: 'SEK' }, 'the account is kept in SEK, not in DKK'],
  ])('says what is wrong with the sender account %j: %s', (account, message) => {
    expect(validateTransfer(FIELDS, account).errors).toEqual([{ path: 'senderAccountId', message }]);
  });
});
