import { until } from '@kontoport/embedded/wait';
import { type Caller, type RunningPayments, startPayments } from './running.ts';

let service: RunningPayments;
beforeAll(async () => {
  service = await startPayments({ settlementDelay: '10ms' });
});
afterAll(() => service.close());

const drafts = (tpp: Caller, account: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => tpp.validDraft(account, '1')));

describe('the payments of one TPP do not hold up those of another (§3.2)', () => {
  it('settles those of a neighbour while the ledger hangs over an account', async () => {
    const organization = { organizationIdentifier: 'PSDDK-DFSA-4711' };
    const [busy, twin, neighbour] = await Promise.all([
      service.caller(organization),
      service.caller(organization),
      service.caller(),
    ]);
    const account = service.bank.addAccount({ clientId: busy.clientId });
    const twins = service.bank.addAccount({ clientId: twin.clientId });
    const own = service.bank.addAccount({ clientId: neighbour.clientId });
    const [many, ofTwin, few] = await Promise.all([
      drafts(busy, account, 40),
      drafts(twin, twins, 1),
      drafts(neighbour, own, 3),
    ]);
    const release = service.bank.hold(account);
    const arrived = (at: string) => service.bank.arrived.filter(({ accountId }) => accountId === at).length;
    await busy.approve(many);
    await until(() => arrived(account) === 4, { what: 'four postings to hang' });
    await twin.approve(ofTwin);
    await neighbour.approve(few);
    for (const draftId of few) await neighbour.reaches(draftId, 'COMPLETED');
    expect([arrived(account), arrived(twins)]).toEqual([4, 0]);
    release();
    for (const draftId of many) await busy.reaches(draftId, 'COMPLETED');
    await twin.reaches(ofTwin[0]!, 'COMPLETED');
    expect(service.bank.available(account)).toBe('960.00');
  });
});
