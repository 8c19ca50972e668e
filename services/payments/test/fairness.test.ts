import { until } from '@kontoport/embedded/wait';
import { isBankingDay } from '../src/domain/calendar/banking-days.model.ts';
import { dateIn } from '../src/domain/calendar/country-time.model.ts';
import { type Caller, REDIRECT, type RunningPayments, startPayments, TRANSFER } from './running-payments.ts';

const DAY_MS = 86_400_000;

let service: RunningPayments;
beforeAll(async () => {
  service = await startPayments({ settlementDelay: '10ms' });
});
afterAll(() => service.close());

const drafts = (tpp: Caller, account: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => tpp.validDraft(account, '1')));

describe('the payments of one TPP do not delay those of another (§3.2)', () => {
  it('settles those of another TPP while the ledger blocks an account', async () => {
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
    const release = service.bank.hold(account, twins);
    await busy.approve(many);
    await until(() => service.bank.hanging === 4, { what: 'four postings to hang' });
    await twin.approve(ofTwin);
    await neighbour.approve(few);
    for (const draftId of few) await neighbour.reaches(draftId, 'COMPLETED');
    expect(service.bank.hanging).toBeLessThanOrEqual(4);
    release();
    for (const draftId of many) await busy.reaches(draftId, 'COMPLETED');
    await twin.reaches(ofTwin[0]!, 'COMPLETED');
    expect(service.bank.available(account)).toBe('960.00');
  });

  it('runs a standing order of a neighbour while a hundred of one client come due and its account hangs', async () => {
    const [busy, neighbour] = [await service.caller(), await service.caller()];
    const account = service.bank.addAccount({ clientId: busy.clientId });
    const own = service.bank.addAccount({ clientId: neighbour.clientId });
    const startDate = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);
    const setUp = (tpp: Caller, senderAccountId: string) =>
      tpp.call('POST', '/payments/standing-orders', {
        ...TRANSFER,
        amount: '1.00',
        senderAccountId,
        redirectUrl: REDIRECT,
        startDate,
        frequency: 'Annual',
      });
    const many = await Promise.all(Array.from({ length: 100 }, () => setUp(busy, account)));
    const theirs = await setUp(neighbour, own);
    expect(new Set([...many, theirs].map(({ status }) => status))).toEqual(new Set([201]));
    const release = service.bank.hold(account);
    // The clock moves to a banking day between two others: no run has to wait there.
    let days = 14;
    const daysAhead = (count: number) => dateIn('DK', new Date(Date.now() + count * DAY_MS));
    while (![-1, 0, 1].every((n) => isBankingDay('DK', daysAhead(days + n)))) days += 1;
    service.bank.moveClock(busy.clientId, days * DAY_MS);
    await until(() => service.bank.hanging === 4, { what: 'four postings to hang' });
    service.bank.moveClock(neighbour.clientId, days * DAY_MS);
    await until(() => service.bank.available(own) === '999.00', { what: 'the run of the neighbour' });
    expect(service.bank.hanging).toBeLessThanOrEqual(4);
    release();
    await until(() => service.bank.available(account) === '900.00', { what: 'all runs to be booked' });
  });
});
