import type { Answer } from '@kontoport/testing/answer';
import { type Caller, REDIRECT, type RunningPayments, startPayments, TRANSFER } from './running-payments.ts';

const TRANSFERS = '/payments/domestic-credit-transfer';

let service: RunningPayments;
beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h' });
});
afterAll(() => service.close());

describe('§4.5 single payments are listed, newest first', () => {
  const list = async (query = '', caller = lister): Promise<Answer> => caller.call('GET', TRANSFERS + query);
  const idsOf = ({ body }: Answer) =>
    (body.payments as { paymentId: string }[]).map(({ paymentId }) => paymentId);
  let lister: Caller;
  let senderAccountId: string;
  beforeEach(async () => {
    lister = await service.caller();
    senderAccountId = service.bank.addAccount({ clientId: lister.clientId });
  });
  const make = async (): Promise<string> => {
    const sent = { ...TRANSFER, senderAccountId, redirectUrl: REDIRECT };
    const { status, body } = await lister.call('POST', TRANSFERS, sent);
    expect(status).toBe(201);
    return body.paymentId as string;
  };

  it('each like its own GET, of its client and its type only', async () => {
    const paymentId = await make();
    const { body: one } = await lister.call('GET', `${TRANSFERS}/${paymentId}`);
    const answer = await list();
    expect([answer.status, answer.body]).toEqual([200, { payments: [one] }]);
    const stranger = await service.caller();
    expect((await list('', stranger)).body).toEqual({ payments: [] });
    expect((await lister.call('GET', '/payments/swedish-bank-giro')).body).toEqual({ payments: [] });
    expect((await lister.call('DELETE', `${TRANSFERS}/${paymentId}`)).status).toBe(204);
    expect((await list()).body).toEqual({ payments: [] });
  });

  it('50 unless asked otherwise, at most 100', async () => {
    await Promise.all(Array.from({ length: 101 }, make));
    expect(idsOf(await list())).toHaveLength(50);
    expect(idsOf(await list('?limit=100'))).toHaveLength(100);
    expect((await list('?limit=100')).body.nextCursor).toMatch(/^[\w-]{32}$/);
  });

  it.each([
    ['?limit=0', 'FORMAT_ERROR'],
    ['?limit=101', 'FORMAT_ERROR'],
    ['?limit=x', 'FORMAT_ERROR'],
    ['?offset=1', 'FORMAT_ERROR'],
    ['?cursor=x', 'CURSOR_INVALID'],
    [`?cursor=${'A'.repeat(65)}`, 'FORMAT_ERROR'],
  ])('and refuses %s', async (query, errorCode) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { errorCode } });
  });
});
