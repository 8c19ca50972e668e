import { type SenderAccount, textOf } from './payment-type.model.ts';
import { PAYMENT_TYPES } from './payment-types.ts';
import { type GiroFields, swedishGiroRules } from './swedish-giro.model.ts';

const FIELDS: GiroFields = {
  receiverGiroNumber: '5050-1055',
  receiverName: 'Receiver',
  amount: '125.50',
  currency: 'SEK',
  reference: '1234567806',
  referenceType: 'OCR',
  senderAccountId: 'account',
};
const ACCOUNT: SenderAccount = {
  accountId: 'account',
  userId: 'user',
  bban: '58398257466',
  ownerName: 'Owner',
  currency: 'SEK',
  supportsPayments: true,
  supportsTransfers: true,
};
const GOOD = { errors: [], warnings: [] };
const bankgiro = swedishGiroRules('bankgiro');

/** The verdict in English. */
function validate(fields: GiroFields, account: SenderAccount | undefined = ACCOUNT, rules = bankgiro) {
  const { errors, warnings } = rules.validate(fields, account);
  const read = (found: typeof errors) =>
    found.map((finding) => ({ path: finding.path, message: textOf(finding).in('en') }));
  return { errors: read(errors), warnings: read(warnings) };
}

describe('a giro draft is valid when its required fields are filled and valid (§2.10)', () => {
  it.each(['swedish-bank-giro', 'swedish-plus-giro'] as const)(
    'finds no error in the example of %s',
    (type) => {
      const { example, validate: judge } = PAYMENT_TYPES[type];
      expect(judge(example, ACCOUNT).errors).toEqual([]);
    },
  );

  it('finds nothing wrong with a complete payment', () => {
    expect(validate(FIELDS)).toEqual(GOOD);
    expect(validate({ ...FIELDS, reference: 'Invoice 7', referenceType: 'MESSAGE' })).toEqual(GOOD);
  });

  it.each([
    ['receiverGiroNumber', { receiverGiroNumber: '18' }, 'giro number: has 2 digits, not 7 to 8'],
    ['currency', { currency: 'DKK' }, 'a Swedish giro payment is made in SEK'],
    ['amount', { amount: '0' }, 'is not positive'],
    ['amount', { amount: '-1' }, 'is not positive'],
    ['amount', { amount: '1.001' }, 'SEK has 2 decimals, not 3'],
    ['reference', { reference: 'Invoice 7' }, 'OCR: has other characters than digits'],
  ])('says what is wrong with %s in %j: %s', (path, change, message) => {
    const fields = { ...FIELDS, ...change };
    expect(validate(fields, { ...ACCOUNT, currency: fields.currency ?? '' }).errors).toEqual([
      { path, message },
    ]);
  });

  it('takes a number of 2 digits for a plusgiro number alone', () => {
    const fields = { ...FIELDS, receiverGiroNumber: '1-8' };
    expect(validate(fields, ACCOUNT, swedishGiroRules('plusgiro'))).toEqual(GOOD);
  });

  it('warns where it cannot be known whether a length digit is wrong', () => {
    expect(validate({ ...FIELDS, reference: '1234567897' })).toEqual({
      errors: [],
      warnings: [{ path: 'reference', message: expect.stringMatching(/^length digit: /) as string }],
    });
  });

  it.each([
    [undefined, 'is not an account that you may use'],
    [{ ...ACCOUNT, supportsPayments: false }, 'the account does not support payments'],
    [{ ...ACCOUNT, currency: 'DKK' }, 'the account is kept in DKK, not in SEK'],
  ])('says what is wrong with the sender account %j: %s', (account, message) => {
    const { errors } = bankgiro.validate(FIELDS, account);
    expect(errors.map((fault) => [fault.path, textOf(fault).in('en')])).toEqual([
      ['senderAccountId', message],
    ]);
  });

  it('is no credit transfer: an account without transfers can pay', () => {
    expect(validate(FIELDS, { ...ACCOUNT, supportsTransfers: false })).toEqual(GOOD);
  });
});

describe('a giro payment is booked with the keys of Swedish references, never in the title (§2.4, §2.5)', () => {
  it.each([
    ['bankgiro', '50501055', { bgNumber: '5050-1055', ocr: '1234567806' }],
    ['plusgiro', '40 25 90 6-1', { pgNumber: '4025906-1', ocr: '1234567806' }],
  ] as const)('%s, with OCR', (giro, receiverGiroNumber, additionalInformation) => {
    const fields = { ...FIELDS, receiverGiroNumber, reference: '12345 678 06' };
    expect(swedishGiroRules(giro).posting(fields)).toEqual({
      type: 'unknown',
      title: 'Receiver',
      amount: { minorUnits: 12_550n, currency: 'SEK' },
      creditor: { name: 'Receiver' },
      additionalInformation,
    });
  });

  it('with words: they are the message', () => {
    const fields: GiroFields = { ...FIELDS, reference: 'Invoice 7', referenceType: 'MESSAGE' };
    expect(bankgiro.posting(fields)).toMatchObject({
      message: 'Invoice 7',
      additionalInformation: { bgNumber: '5050-1055' },
    });
    expect(bankgiro.posting(fields).additionalInformation).not.toHaveProperty('ocr');
  });
});
