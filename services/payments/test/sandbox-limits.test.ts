import { randomUUID } from 'node:crypto';
import {
  type Caller,
  DRAFTS,
  REDIRECT,
  type RunningPayments,
  startPayments,
  TRANSFER,
} from './running-payments.ts';

const ORGANIZATION = { organizationIdentifier: 'PSDDK-DFSA-4711' };

let service: RunningPayments;
beforeAll(async () => {
  service = await startPayments({
    settlementDelay: '1h',
    env: {
      SANDBOX_ENTRIES_TOTAL: '50',
      SANDBOX_ENTRIES_PER_CLIENT: '5',
      SANDBOX_ORGANIZATION_SHARE: '0.4',
    },
  });
});
afterAll(() => service.close());

const create = (tpp: Caller) => tpp.call('POST', DRAFTS, { draftId: randomUUID(), name: 'Rent' });

const createTimes = async (tpp: Caller, times: number): Promise<number[]> =>
  (await Promise.all(Array.from({ length: times }, () => create(tpp)))).map(({ status }) => status);

describe('one TPP cannot use the quota of another in the sandbox (§8)', () => {
  it('keeps the drafts of an organization up to its limit, with any number of clients', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => service.caller(ORGANIZATION)));
    const statuses = (await Promise.all(clients.map((client) => createTimes(client, 5)))).flat();
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);

    const newest = await service.caller(ORGANIZATION);
    const refused = await create(newest);
    expect([refused.status, refused.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.body.message).toMatch(/^The clients of your organization together keep/);

    const neighbour = await service.caller();
    expect(await createTimes(neighbour, 5)).toEqual([201, 201, 201, 201, 201]);
  });

  it('keeps the drafts of one client up to its own bound', async () => {
    const tpp = await service.caller();
    const statuses = await createTimes(tpp, 6);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await create(tpp)).body.message).toMatch(
      /^The sandbox keeps as many drafts and baskets of this client/,
    );
  });

  it('keeps the single payments, standing orders and their keys of one client up to its own bound', async () => {
    const [tpp, neighbour] = [await service.caller(), await service.caller()];
    const own = service.bank.addAccount({ clientId: tpp.clientId });
    const theirs = service.bank.addAccount({ clientId: neighbour.clientId });
    const startDate = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const initiate = (caller: Caller, senderAccountId: string, more?: object) => {
      const path = more ? '/payments/standing-orders' : '/payments/domestic-credit-transfer';
      const body = { ...TRANSFER, senderAccountId, redirectUrl: REDIRECT, ...more };
      return caller.call('POST', path, body, { 'x-request-id': randomUUID() });
    };
    const order = { startDate, frequency: 'Monthly' };
    // A payment or a standing order takes two entries, with the basket that approves it.
    expect((await initiate(tpp, own)).status).toBe(201);
    expect((await initiate(tpp, own, order)).status).toBe(201);
    const refused = [await initiate(tpp, own), await initiate(tpp, own, order)];
    for (const answer of refused) {
      expect([answer.status, answer.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
      expect(answer.headers.get('retry-after')).toBe('60');
    }
    const { body } = await tpp.call('GET', '/payments/standing-orders');
    expect(body.standingOrders).toHaveLength(1);
    const taken = [await initiate(neighbour, theirs), await initiate(neighbour, theirs, order)];
    expect(taken.map(({ status }) => status)).toEqual([201, 201]);
  });
});
