import { randomUUID } from 'node:crypto';
import { readTransfers } from './read-transfers.ts';
import { type Caller, type RunningPayments, startPayments } from './running-payments.ts';

let service: RunningPayments;
let tpp: Caller;
let account: string;
let transfers: ReturnType<typeof readTransfers>;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '50ms' });
  tpp = await service.caller();
  transfers = readTransfers(service.broker.brokers);
});
beforeEach(() => {
  account = service.bank.addAccount({ clientId: tpp.clientId });
});
afterAll(async () => {
  await transfers.close();
  await service.close();
});

const CALLER = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the paying client gets events of its payments (§6)', () => {
  it('has events of creation and settlement, in a trace of the approval that is not the caller’s', async () => {
    const draftId = await tpp.validDraft(account);
    const approval = {
      requestId: randomUUID(),
      draftIds: [draftId],
      redirectUrl: 'https://tpp.test/callback',
    };
    const headers = { traceparent: `00-${CALLER}-00f067aa0ba902b7-01` };
    expect((await tpp.call('POST', '/payments/drafts/approve', approval, headers)).status).toBe(200);
    const { paymentId } = (await tpp.reaches(draftId, 'COMPLETED')).body;
    const events = await transfers.ofDraft(draftId, 2);
    expect(events.map(({ value }) => [value.type, value.message.status])).toEqual([
      ['Transfer.CreatedV1', 'PENDING'],
      ['Transfer.StatusChangedV1', 'COMPLETED'],
    ]);
    for (const { value, record } of events) {
      expect(value.message).toMatchObject({
        audience: [tpp.clientId],
        paymentId,
        accountId: account,
        paymentType: 'domestic-credit-transfer',
      });
      expect(record.key!.toString()).toBe(account);
      expect(record.headers).toMatchObject({
        ce_id: value.message.eventId,
        ce_source: 'urn:kontoport:payments',
      });
    }
    expect(new Set(events.map(({ value }) => value.message.eventId)).size).toBe(2);
    const traces = new Set(events.map(({ record }) => String(record.headers.traceparent).split('-')[1]));
    expect(traces.size).toBe(1);
    expect(traces).not.toContain(CALLER);
  });

  it('has an event of the rejection', async () => {
    const poor = await tpp.validDraft(account, '1001');
    await tpp.approve([poor]);
    const rejected = await transfers.ofDraft(poor, 2);
    expect(rejected.map(({ value }) => value.message.status)).toEqual(['PENDING', 'REJECTED']);
  });
});

describe('a broker outage delays no payment (§6)', () => {
  it('settles during the outage, and sends the events after it', async () => {
    const away = await startPayments({ settlementDelay: '0ms' });
    const client = await away.caller();
    const itsAccount = away.bank.addAccount({ clientId: client.clientId });
    const draftId = await client.validDraft(itsAccount);
    await away.broker.kill();
    await client.approve([draftId]);
    await client.reaches(draftId, 'COMPLETED');
    await away.broker.start();
    const reader = readTransfers(away.broker.brokers);
    const events = await reader.ofDraft(draftId, 2);
    expect(events.map(({ value }) => value.message.status)).toEqual(['PENDING', 'COMPLETED']);
    await reader.close();
    await away.close();
  });
});
