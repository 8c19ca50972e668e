import { randomUUID } from 'node:crypto';
import { type Draft } from '../src/domain/draft.model.ts';
import { cancelPayment } from '../src/domain/payment.model.ts';
import { deleteStandingOrder, runStandingOrder } from '../src/domain/standing-order.model.ts';
import { MAX_STANDING_ORDERS } from '../src/store/limits.ts';
import { MemoryPaymentStore } from '../src/store/memory/memory-payment-store.ts';
import { initiate, keepOrder, orderOf } from './initiations.conformance.ts';
import { draftOf, DUE, NOW } from './store-fixtures.ts';

const DAY = 86_400_000;
const HOUR = DAY / 24;
const BOUNDS = {
  lifetimeMs: DAY,
  entriesPerClient: 100,
  entriesInAll: 1_000,
  organizationShare: 0.5,
  eventsInAll: 1_000,
};
/** The first run of `orderOf` is due. */
const FIRST_RUN = new Date('2026-11-22T23:00:00Z');
const later = (ms: number, from = NOW): Date => new Date(from.getTime() + ms);

let store: MemoryPaymentStore;
let clientId: string;
beforeEach(() => {
  store = new MemoryPaymentStore(BOUNDS);
  clientId = randomUUID();
});

const runAt = (now: Date): Promise<number> =>
  store.runStandingOrders({
    now,
    limit: 10,
    run: (order) =>
      runStandingOrder(order, { now, aheadMs: 0, settlementDelayMs: 0, paymentId: randomUUID() }),
  });

describe('the clock of a client moves its payments in the sandbox (§Sandbox)', () => {
  it('moves only its own standing orders by the clock', async () => {
    const order = await keepOrder(store, orderOf(clientId));
    const other = await keepOrder(store, orderOf(randomUUID()));
    store.advance({ clientId, byMs: 2 * HOUR, now: NOW });
    const find = ({ clientId: owner, paymentId }: typeof order) =>
      store.findStandingOrder({ clientId: owner, paymentId, now: NOW });
    expect((await find(order))?.dueAt).toEqual(later(-2 * HOUR, FIRST_RUN));
    expect((await find(other))?.dueAt).toEqual(FIRST_RUN);
    expect(await runAt(later(-2 * HOUR - 1, FIRST_RUN))).toBe(0);
    store.advance({ clientId, byMs: 100 * DAY, now: NOW });
    expect((await find(order))?.dueAt).toEqual(NOW);
  });

  it('moves payments that are not submitted yet', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    for (const owner of [one, two]) await initiate(store, { clientId: owner, dueInMs: 5 * HOUR });
    store.advance({ clientId: one, byMs: 2 * HOUR, now: NOW });
    const claim = async (now: Date) => (await store.claimDue({ ...DUE, now })).map((draft) => draft.clientId);
    expect(await claim(later(3 * HOUR - 1))).toEqual([]);
    expect(await claim(later(3 * HOUR))).toEqual([one]);
    // The bank is asked again at the planned time, whatever the client's clock shows.
    store.advance({ clientId: one, byMs: HOUR, now: later(3 * HOUR) });
    expect(await claim(later(3 * HOUR + DUE.leaseMs - 1))).toEqual([]);
    expect(await claim(later(5 * HOUR))).toEqual(expect.arrayContaining([one, two]));
  });
});

describe('open payments in the sandbox (§8)', () => {
  it('uses the quota once, and not after its end', async () => {
    const order = await keepOrder(store, orderOf(clientId));
    const kept = await initiate(store, { clientId, dueInMs: 5 * DAY });
    expect(store.waiting).toBe(2);
    for (let move = 0; move < 50; move++) store.advance({ clientId, byMs: 1_000, now: NOW });
    expect(store.waiting).toBe(2);
    const { paymentId } = order;
    const change = (found: typeof order) => deleteStandingOrder(found, NOW);
    await store.updateStandingOrder({ clientId, paymentId, now: NOW, change });
    expect(store.waiting).toBe(1);
    const draftId = kept!.requestId;
    const cancel = (draft: Draft) => cancelPayment(draft, NOW);
    await store.updateDraft({ clientId, draftId, now: NOW, change: cancel });
    expect(store.waiting).toBe(0);
    await initiate(store, { clientId, dueInMs: 5 * DAY });
    await keepOrder(store, orderOf(clientId));
    await store.dropClient(clientId);
    // The payment was approved, and is settled.
    expect(store.waiting).toBe(1);
  });
});

describe('standing orders in the sandbox (§8)', () => {
  it('stay until they end, and for 24 hours after it', async () => {
    const schedule = {
      startDate: '2026-11-23',
      endDate: '2026-11-23',
      frequency: 'Daily',
      executionRule: 'following',
    } as const;
    const { paymentId } = await keepOrder(store, orderOf(clientId, { schedule }));
    store.sweep(later(300 * DAY));
    const find = (now: Date) => store.findStandingOrder({ clientId, paymentId, now });
    expect(await find(later(300 * DAY))).toBeDefined();
    expect(await runAt(FIRST_RUN)).toBe(1);
    expect(await find(later(DAY - 1, FIRST_RUN))).toMatchObject({ status: 'ENDED' });
    expect(await find(later(DAY, FIRST_RUN))).toBeUndefined();
  });

  it('run a minute later while the quota of client or organization is full', async () => {
    // The standing order and one draft; its basket has lapsed by then.
    store = new MemoryPaymentStore({ ...BOUNDS, entriesPerClient: 2 });
    const order = await keepOrder(store, orderOf(clientId));
    const neighbour = await keepOrder(store, orderOf(randomUUID()));
    const draft = draftOf(clientId, later(-HOUR, FIRST_RUN));
    expect(await store.createDraft(draft)).toBe('created');
    expect(await runAt(FIRST_RUN)).toBe(2);
    const claimed = await store.claimDue({ ...DUE, now: FIRST_RUN });
    expect(claimed.map((run) => run.clientId)).toEqual([neighbour.clientId]);
    const find = (now: Date) => store.findStandingOrder({ clientId, paymentId: order.paymentId, now });
    expect((await find(FIRST_RUN))?.dueAt).toEqual(later(60_000, FIRST_RUN));
    await store.deleteDraft({ clientId, draftId: draft.draftId, now: FIRST_RUN, check: () => undefined });
    expect(await runAt(later(59_999, FIRST_RUN))).toBe(0);
    expect(await runAt(later(60_000, FIRST_RUN))).toBe(1);
    const late = await store.claimDue({ ...DUE, now: later(60_000, FIRST_RUN) });
    expect(late.map((run) => run.clientId)).toContain(clientId);
  });

  it('are bounded for all clients of an organization together', async () => {
    store = new MemoryPaymentStore({ ...BOUNDS, entriesPerClient: 10_000, entriesInAll: 100_000 });
    const { ofClient, ofOrganization } = MAX_STANDING_ORDERS;
    const clients = Array.from({ length: Math.ceil(ofOrganization / ofClient) + 1 }, () => randomUUID());
    const ofOne = { organizationIdentifier: 'PSDDK-DFSA-ONE' };
    const keep = (owner: string, more = ofOne) => keepOrder(store, orderOf(owner, more));
    for (let i = 0; i < ofOrganization - 1; i++) await keep(clients[i % clients.length]!);
    const last = await keep(randomUUID());
    await expect(keep(randomUUID())).rejects.toMatchObject({ code: 'STATUS_INVALID' });
    await keep(randomUUID(), { organizationIdentifier: 'PSDDK-DFSA-OTHER' });
    const change = (found: typeof last) => deleteStandingOrder(found, NOW);
    await store.updateStandingOrder({ ...last, now: NOW, change });
    await keep(randomUUID());
  });
});
