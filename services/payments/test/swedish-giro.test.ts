import { randomUUID } from 'node:crypto';
import { type Caller, GIRO, type RunningPayments, startPayments } from './running.ts';

let service: RunningPayments;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h' });
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId, currency: 'SEK' });
});
afterAll(() => service.close());

const BANK_GIRO = '/payments/drafts/swedish-bank-giro';
const PLUS_GIRO = '/payments/drafts/swedish-plus-giro';

const create = async (type: string): Promise<string> => {
  const draftId = randomUUID();
  expect((await tpp.call('POST', type, { draftId, name: 'Water' })).status).toBe(201);
  return `${type}/${draftId}`;
};

describe.each([
  [BANK_GIRO, '5050-1055'],
  [PLUS_GIRO, '4025906-1'],
])('drafts of %s (§2.10, §4.4)', (type, receiverGiroNumber) => {
  it('are filled in one field after the other until they are valid', async () => {
    const path = await create(type);
    const fields = Object.entries({ ...GIRO, receiverGiroNumber, senderAccountId: account });
    for (const [i, [name, value]] of fields.entries()) {
      const { status, body } = await tpp.call('PATCH', path, { [name]: value });
      expect([status, body.status, body[name]]).toEqual([200, 'CREATED', value]);
      expect(body.isValid).toBe(i === fields.length - 1);
    }
  });

  it('keep wrong content and say in the language of the reader what is wrong', async () => {
    const path = await create(type);
    const wrong = {
      ...GIRO,
      receiverGiroNumber: '1',
      reference: 'x',
      amount: '1.001',
      senderAccountId: account,
    };
    expect((await tpp.call('PATCH', path, wrong)).body).toMatchObject({ ...wrong, isValid: false });
    const { body } = await tpp.call('GET', path, undefined, { 'x-language': 'sv' });
    expect(body.validationErrors).toEqual([
      {
        path: 'receiverGiroNumber',
        message: `gironummer: har 1 siffror, inte ${type === BANK_GIRO ? 7 : 2} till 8`,
      },
      { path: 'reference', message: 'OCR: innehåller andra tecken än siffror' },
      { path: 'amount', message: 'SEK har 2 decimaler, inte 3' },
    ]);
  });

  it.each([
    [{ amount: '1e3' }],
    [{ amount: '1,00' }],
    [{ amount: '9'.repeat(30) }],
    [{ referenceType: 'ocr' }],
    [{ receiverAccountBban: '00400440116243' }],
    [{ receiverGiroNumber: 50_501_055 }],
    [{ reference: '' }],
  ])('refuse %j and change nothing', async (body) => {
    const path = await create(type);
    const before = (await tpp.call('GET', path)).body;
    const answer = await tpp.call('PATCH', path, body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect((answer.body.details as { path: string }[]).map((detail) => detail.path)).toEqual(
      Object.keys(body),
    );
    expect((await tpp.call('GET', path)).body).toEqual(before);
  });
});
