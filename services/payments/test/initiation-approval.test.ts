import { until } from '@kontoport/embedded/wait';
import type { GetApprovalResponse } from '@kontoport/proto/payments/v1';
import { bankingDayFrom } from '../src/domain/calendar/banking-days.model.ts';
import { approvalsOf, TestAuthentication, withUserApproval } from './approval-client.ts';
import { auditedOf } from './audit-records.ts';
import { type Caller, REDIRECT, type RunningPayments, startPayments, TRANSFER } from './running-payments.ts';
import { USER } from './test-bank.ts';

const SINGLE = '/payments/domestic-credit-transfer';
const ORDERS = '/payments/standing-orders';
const START = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}`;
/** The banking day on which a payment for that day is executed. */
const DAY = bankingDayFrom('DK', START);

const authentication = new TestAuthentication();
let service: RunningPayments;
let users: ReturnType<typeof approvalsOf>;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '0ms', adapters: withUserApproval(authentication) });
  users = approvalsOf(service);
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId });
});
afterAll(() => service.close());

interface ValidInitiation {
  path: string;
  paymentId: string;
  approvalId: string;
  shown: GetApprovalResponse;
  digest: string;
}

async function initiated(collection: string): Promise<ValidInitiation> {
  const schedule =
    collection === ORDERS ? { startDate: START, frequency: 'Monthly' } : { executionDate: START };
  const sent = { ...TRANSFER, senderAccountId: account, redirectUrl: REDIRECT, message: 'Rent', ...schedule };
  const { status, body } = await tpp.call('POST', collection, sent);
  expect([status, body.status]).toEqual([201, 'AWAITING_APPROVAL']);
  const approvalId = new URL(String(body.authUrl)).pathname.split('/').at(-1)!;
  const shown = await users.get(approvalId, USER);
  const paymentId = String(body.paymentId);
  const digest = shown.content?.digest ?? '';
  return { path: `${collection}/${paymentId}`, paymentId, approvalId, shown, digest };
}
const poll = async ({ paymentId }: ValidInitiation): Promise<unknown> =>
  (await tpp.call('GET', `/polling/${paymentId}/status`)).body;
const says = (decision: 'approve' | 'decline', asked: ValidInitiation) =>
  users.decide(asked, { userId: USER, decision });

describe.each([
  ['a single payment', SINGLE, 'PENDING', { executionDate: DAY, schedule: undefined }],
  [
    'a standing order',
    ORDERS,
    'ACTIVE',
    { executionDate: '', schedule: { startDate: START, endDate: '', frequency: 'Monthly' } },
  ],
] as const)('§4.5 %s waits for its user', (_what, collection, approved, planned) => {
  const status = async ({ path }: ValidInitiation): Promise<unknown> =>
    (await tpp.call('GET', path)).body.status;

  it('is shown with its amount and payee, and polled as waiting', async () => {
    const asked = await initiated(collection);
    expect(asked.shown.content?.payments).toMatchObject([
      { payeeName: 'Receiver', reference: 'Rent', amount: { value: '125.50', currency: 'DKK' }, ...planned },
    ]);
    expect(await poll(asked)).toEqual({ status: 'AWAITING_APPROVAL', redirectUrl: REDIRECT });
    expect(await status(asked)).toBe('AWAITING_APPROVAL');
  });

  it('is approved once the user and the bank have approved it', async () => {
    const asked = await initiated(collection);
    expect(await says('approve', asked)).toMatchObject({ status: 'APPROVED', returnUrl: REDIRECT });
    expect(await poll(asked)).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
    expect(await status(asked)).toBe(approved);
  });

  it('is rejected when the user declines', async () => {
    const asked = await initiated(collection);
    expect(await says('decline', asked)).toMatchObject({ status: 'REJECTED' });
    expect(await poll(asked)).toEqual({ status: 'REJECTED', redirectUrl: REDIRECT });
    expect(await status(asked)).toBe('REJECTED');
  });

  it('ends when its client deletes it', async () => {
    const asked = await initiated(collection);
    expect((await tpp.call('DELETE', asked.path)).status).toBe(204);
    expect((await tpp.call('GET', asked.path)).status).toBe(404);
    expect(await poll(asked)).toEqual({ status: 'AWAITING_APPROVAL', redirectUrl: '' });
    expect((await users.get(asked.approvalId)).standing).toMatchObject({ status: 'EXPIRED' });
    const late = await says('approve', asked);
    expect(late.status).toBe('EXPIRED');
    expect(authentication.countOf(asked.approvalId)).toBe(0);
    expect((await tpp.call('GET', asked.path)).status).toBe(404);
  });
});

describe('§4.5 a single payment for a day', () => {
  it('waits for its day after its user has approved it', async () => {
    const planned = await initiated(SINGLE);
    await says('approve', planned);
    const draftIds = [await tpp.validDraft(account)];
    const now = await users.ask(tpp, draftIds, { userId: USER, redirectUrl: REDIRECT });
    await users.decide(now, { userId: USER, decision: 'approve' });
    await tpp.reaches(draftIds[0]!, 'COMPLETED');
    expect((await tpp.call('GET', planned.path)).body.status).toBe('PENDING');
  });
});

describe.each([
  ['payments', SINGLE, 'PAYMENT'],
  ['standing orders', ORDERS, 'STANDING_ORDER'],
])('the audit log of %s', (_what, collection, prefix) => {
  it('has one record for the decision of the user and one for the deletion by the client, also after repetitions', async () => {
    const [agreed, declined] = [await initiated(collection), await initiated(collection)];
    await Promise.all([says('approve', agreed), says('approve', agreed)]);
    await says('decline', agreed);
    await says('decline', declined);
    await says('approve', declined);
    expect((await tpp.call('DELETE', agreed.path)).status).toBe(204);
    await tpp.call('DELETE', agreed.path);
    const end = collection === SINGLE ? 'PAYMENT_CANCELLED' : 'STANDING_ORDER_DELETED';
    // One outbox publishes both in order: when the last record of the one has arrived, all of the other have.
    const records = await until(
      async () => {
        const found = await auditedOf(service.broker.brokers, agreed.paymentId, declined.paymentId);
        return found.some(({ value }) => value.action === end) && found;
      },
      { what: 'the last record' },
    );
    const of = ({ paymentId }: ValidInitiation) =>
      records.filter(({ value }) => value.objectId === paymentId);
    expect(of(agreed).map(({ value }) => [value.action, value.actor])).toEqual([
      [`${prefix}_APPROVED`, 'USER'],
      [end, 'CLIENT'],
    ]);
    expect(of(declined).map(({ value }) => [value.action, value.actor])).toEqual([
      [`${prefix}_DECLINED`, 'USER'],
    ]);
    for (const { value, record } of records) {
      expect(value).toMatchObject({ clientId: tpp.clientId, userId: USER });
      expect(record.key?.toString()).toBe(value.objectId);
      expect(record.headers).toMatchObject({
        ce_id: value.eventId,
        ce_type: 'Audit.RecordedV1',
        ce_source: 'urn:kontoport:payments',
      });
    }
  });
});
