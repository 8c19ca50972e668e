import {
  activate,
  deleteStandingOrder,
  isLive,
  runStandingOrder,
  type StandingOrder,
} from './standing-order.model.ts';

const CREATED = new Date('2026-12-01T10:00:00Z');
const HOUR = 3_600_000;

const ORDER: StandingOrder = {
  clientId: 'client',
  consentId: 'consent',
  organizationIdentifier: 'PSDDK-DFSA-1',
  paymentId: 'order',
  paymentType: 'domestic-credit-transfer',
  name: 'Rent',
  fields: { senderAccountId: 'account' },
  senderAccount: {
    accountId: 'account',
    userId: 'user',
    bban: '',
    ownerName: '',
    currency: 'DKK',
    supportsPayments: true,
    supportsTransfers: true,
  },
  validationWarnings: [],
  redirectUrl: 'https://tpp.test/callback',
  schedule: { startDate: '2027-01-04', frequency: 'Monthly', executionRule: 'following' },
  status: 'AWAITING_APPROVAL',
  createdAt: CREATED,
  updatedAt: CREATED,
};

const active = (more: Partial<StandingOrder> = {}, aheadMs = 0): StandingOrder =>
  activate({ ...ORDER, ...more }, { now: CREATED, aheadMs });

const run = (order: StandingOrder, at: string, { aheadMs = 0, settlementDelayMs = 3_000 } = {}) =>
  runStandingOrder(order, { now: new Date(at), aheadMs, settlementDelayMs, paymentId: 'run' });

describe('a standing order and its runs (§4.5)', () => {
  it('is due when the day of its first run begins in its country', () => {
    expect(active()).toMatchObject({
      status: 'ACTIVE',
      next: { index: 0, executionDate: '2027-01-04' },
      dueAt: new Date('2027-01-03T23:00:00Z'),
    });
  });

  it('is due as much earlier as the time of its client is ahead', () => {
    expect(active({}, HOUR).dueAt).toEqual(new Date('2027-01-03T22:00:00Z'));
  });

  it('makes a payment of its run, and waits for the next', () => {
    const { order, draft } = run(active({ message: 'Rent, flat 4' }), '2027-01-03T23:00:00Z');
    expect(order).toMatchObject({
      next: { index: 1, executionDate: '2027-02-04' },
      dueAt: new Date('2027-02-03T23:00:00Z'),
      lastRun: { paymentId: 'run', executionDate: '2027-01-04' },
      updatedAt: new Date('2027-01-03T23:00:00Z'),
    });
    expect(draft).toMatchObject({
      kind: 'run',
      clientId: 'client',
      consentId: 'consent',
      draftId: 'run',
      status: 'PENDING',
      initiation: { message: 'Rent, flat 4', executionDate: '2027-01-04' },
      payment: {
        paymentId: 'run',
        requestId: 'order',
        dueAt: new Date('2027-01-03T23:00:03Z'),
        approvedAt: new Date('2027-01-03T23:00:00Z'),
        attempts: 0,
      },
    });
  });

  it('makes one payment of several runs that were missed, at once on a banking day', () => {
    const { order, draft } = run(active(), '2027-03-10T12:00:00Z');
    expect(draft?.initiation?.executionDate).toBe('2027-03-10');
    expect(draft?.payment?.dueAt).toEqual(new Date('2027-03-10T12:00:03Z'));
    expect(order.next).toEqual({ index: 3, executionDate: '2027-04-05' });
  });

  it('makes up for a run on the next banking day', () => {
    const { draft } = run(active(), '2027-03-13T12:00:00Z');
    expect(draft?.initiation?.executionDate).toBe('2027-03-15');
    expect(draft?.payment?.dueAt).toEqual(new Date('2027-03-14T23:00:03Z'));
  });

  it('runs by the time of its client', () => {
    const { draft, order } = run(active(), '2027-01-03T20:00:00Z', { aheadMs: 3 * HOUR });
    expect(draft?.payment?.approvedAt).toEqual(new Date('2027-01-03T23:00:00Z'));
    expect(draft?.payment?.dueAt).toEqual(new Date('2027-01-03T20:00:03Z'));
    expect(order.dueAt).toEqual(new Date('2027-02-03T20:00:00Z'));
  });

  it('makes nothing before its day, and is due then', () => {
    const { draft, order } = run(active(), '2027-01-03T22:59:59.999Z');
    expect(draft).toBeUndefined();
    expect(order).toEqual(active());
  });

  it('is ENDED after its last run, and not due', () => {
    const last = active({ schedule: { ...ORDER.schedule, endDate: '2027-01-31' } });
    const { order, draft } = run(last, '2027-01-03T23:00:00Z');
    expect(draft).toBeDefined();
    expect(order).toMatchObject({ status: 'ENDED' });
    expect([order.next, order.dueAt, isLive(order)]).toEqual([undefined, undefined, false]);
    expect(run(order, '2027-02-03T23:00:00Z')).toEqual({ order });
  });

  it('does not run after its deletion', () => {
    const deleted = deleteStandingOrder(active(), CREATED);
    expect([isLive(active()), isLive(ORDER), isLive(deleted)]).toEqual([true, true, false]);
    expect([deleted.next, deleted.dueAt]).toEqual([undefined, undefined]);
    expect(run(deleted, '2027-01-04T12:00:00Z')).toEqual({ order: deleted });
    expect(() => deleteStandingOrder(deleted, CREATED)).toThrow('There is no such standing order.');
  });
});
