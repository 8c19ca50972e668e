import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { Answer } from '@kontoport/testing/answer';
import { bankingDayFrom, isBankingDay } from '../src/domain/calendar/banking-days.model.ts';
import { dateIn } from '../src/domain/calendar/country-time.model.ts';
import { addDays, dayNumber, dayOfMonth, partsOf } from '../src/domain/calendar/local-date.model.ts';
import { type Caller, REDIRECT, type RunningPayments, startPayments, TRANSFER } from './running-payments.ts';

const ORDERS = '/payments/standing-orders';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let service: RunningPayments;
beforeAll(async () => {
  service = await startPayments({ settlementDelay: '10ms' });
});
afterAll(() => service.close());

/** Milliseconds until it is noon in Denmark, or a little later where the clocks change meanwhile. */
function untilNoon(): number {
  const hours = new Intl.DateTimeFormat('en-GB', {
    hour: 'numeric',
    hourCycle: 'h23',
    timeZone: 'Europe/Copenhagen',
  });
  const ahead = (36 - Number(hours.format(new Date()))) % 24;
  return ahead * HOUR_MS;
}

/** A client with an account, and a clock that it moves. */
async function scene(available = '1000.00') {
  const tpp = await service.caller();
  const account = service.bank.addAccount({ clientId: tpp.clientId, available });
  // It is noon there: no day ends while a test runs.
  let ahead = untilNoon();
  service.bank.moveClock(tpp.clientId, ahead);
  const call = (method: string, path: string, ...more: unknown[]): Promise<Answer> =>
    tpp.call(method, path, ...(more as [unknown?, Record<string, string>?]));
  return {
    tpp,
    account,
    today: () => dateIn('DK', new Date(Date.now() + ahead)),
    /** Moves the clock on by so many days, and on to a banking day between two others: no run has to wait there. */
    passes: (days: number) => {
      const today = dateIn('DK', new Date(Date.now() + ahead));
      let day = addDays(today, days);
      while (![-1, 0, 1].every((n) => isBankingDay('DK', addDays(day, n)))) day = addDays(day, 1);
      ahead += (dayNumber(day) - dayNumber(today)) * DAY_MS;
      service.bank.moveClock(tpp.clientId, ahead);
    },
    setUp: (more: object, requestId: string = randomUUID(), caller: Caller = tpp) => {
      const body = {
        ...TRANSFER,
        senderAccountId: account,
        redirectUrl: REDIRECT,
        frequency: 'Monthly',
        ...more,
      };
      return caller.call('POST', ORDERS, body, { 'x-request-id': requestId });
    },
    list: async () => (await call('GET', ORDERS)).body.standingOrders as Record<string, unknown>[],
    read: (paymentId: unknown) => call('GET', `${ORDERS}/${String(paymentId)}`),
    remove: (paymentId: unknown) => call('DELETE', `${ORDERS}/${String(paymentId)}`),
    poll: async (paymentId: unknown) => (await call('GET', `/polling/${String(paymentId)}/status`)).body,
    /** Waits until the previous run has this status. */
    ran: (paymentId: unknown, status: string, before?: unknown) =>
      until(
        async () => {
          const { body } = await call('GET', `${ORDERS}/${String(paymentId)}`);
          const run = body.lastRun as { paymentId: string; status: string } | undefined;
          return run?.status === status && run.paymentId !== before && body;
        },
        { what: `a run to be ${status}` },
      ),
  };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** A standing order that begins in ten days, for a month at a time. */
async function inTenDays({ setUp, today }: Scene, more: object = {}) {
  const startDate = addDays(today(), 10);
  const answer = await setUp({ startDate, ...more });
  expect(answer.status).toBe(201);
  return { startDate, paymentId: answer.body.paymentId as string };
}

describe('§4.5 a standing order is set up, runs on its days and is listed', () => {
  it('is approved at once, and returned with its next run', async () => {
    const tpp = await scene();
    const { startDate, paymentId } = await inTenDays(tpp, {
      message: 'Rent',
      name: 'Home',
      dayOfExecution: '31',
    });
    const { body: order } = await tpp.read(paymentId);
    const ultimo = dayOfMonth({ ...partsOf(startDate), day: 31 });
    expect(order).toEqual({
      paymentId,
      paymentType: 'domestic-credit-transfer',
      status: 'ACTIVE',
      ...TRANSFER,
      senderAccountId: tpp.account,
      name: 'Home',
      message: 'Rent',
      redirectUrl: REDIRECT,
      startDate,
      frequency: 'Monthly',
      dayOfExecution: '31',
      executionRule: 'following',
      nextExecutionDate: bankingDayFrom('DK', ultimo),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await tpp.list()).toEqual([order]);
    expect(await tpp.poll(paymentId)).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
  });

  it('warns of what could not be checked, when it is set up and when it is read (§2.10)', async () => {
    const tpp = await scene();
    const senderAccountId = service.bank.addAccount({ clientId: tpp.tpp.clientId, currency: 'SEK' });
    const typed = { currency: 'SEK', senderAccountId, receiverAccountBban: '8327-9 123456782' };
    const { status, body } = await tpp.setUp({ startDate: addDays(tpp.today(), 10), ...typed });
    const validationWarnings = [
      {
        path: 'receiverAccountBban',
        message: expect.stringContaining('the payment goes to 8327123456782') as string,
      },
    ];
    expect({ status, body }).toMatchObject({ status: 201, body: { validationWarnings } });
    expect((await tpp.read(body.paymentId)).body).toMatchObject({ validationWarnings });
  });

  it('books a run when its day has come, each month, and publishes its events', async () => {
    const tpp = await scene();
    const { startDate, paymentId } = await inTenDays(tpp, { message: 'Rent' });
    tpp.passes(16);
    const first = await tpp.ran(paymentId, 'COMPLETED');
    const run = first.lastRun as { paymentId: string; executionDate: string };
    const { year, month, day } = partsOf(startDate);
    const second = bankingDayFrom('DK', dayOfMonth({ year, month: month + 1, day }));
    expect(first.nextExecutionDate).toBe(second);
    expect(service.bank.booked.get(run.paymentId)).toMatchObject({ accountId: tpp.account, message: 'Rent' });
    expect(await tpp.poll(run.paymentId)).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
    tpp.passes(31);
    const later = await tpp.ran(paymentId, 'COMPLETED', run.paymentId);
    expect(later.status).toBe('ACTIVE');
    expect(service.bank.available(tpp.account)).toBe('749.00');
  });

  it('makes up once for runs that were missed', async () => {
    const tpp = await scene();
    const { paymentId } = await inTenDays(tpp, { frequency: 'Daily' });
    tpp.passes(100);
    const { lastRun, nextExecutionDate } = await tpp.ran(paymentId, 'COMPLETED');
    expect(service.bank.available(tpp.account)).toBe('874.50');
    const ran = (lastRun as { executionDate: string }).executionDate;
    expect(nextExecutionDate).toBe(bankingDayFrom('DK', addDays(ran, 1)));
  });

  it('goes on after a run without funds, which is rejected', async () => {
    const tpp = await scene('100.00');
    const { paymentId } = await inTenDays(tpp);
    tpp.passes(16);
    const { lastRun, status } = await tpp.ran(paymentId, 'REJECTED');
    expect(lastRun).toMatchObject({ rejection: { errorCode: 'FUNDS_INSUFFICIENT' } });
    expect([status, (await tpp.list()).length]).toEqual(['ACTIVE', 1]);
    tpp.passes(31);
    await tpp.ran(paymentId, 'REJECTED', (lastRun as { paymentId: string }).paymentId);
  });

  it('has ended after its last run', async () => {
    const tpp = await scene();
    const { paymentId } = await inTenDays(tpp, { endDate: addDays(tpp.today(), 12) });
    tpp.passes(31);
    const ended = await tpp.ran(paymentId, 'COMPLETED');
    expect([ended.status, ended.nextExecutionDate]).toEqual(['ENDED', undefined]);
    expect(await tpp.list()).toEqual([]);
    expect(await tpp.poll(paymentId)).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
  });

  it('follows the clock of its own client alone', async () => {
    const [tpp, neighbour] = [await scene(), await scene()];
    const [own, theirs] = [await inTenDays(tpp), await inTenDays(neighbour)];
    tpp.passes(16);
    await tpp.ran(own.paymentId, 'COMPLETED');
    expect((await neighbour.read(theirs.paymentId)).body.lastRun).toBeUndefined();
  });

  it('counts the days of one that is set up after its clock was moved from there', async () => {
    const tpp = await scene();
    const before = addDays(tpp.today(), 20);
    tpp.passes(60);
    // The request is refused in any case, so that it creates nothing.
    const details = await until(
      async () => {
        const { body } = await tpp.setUp({ startDate: before, endDate: addDays(before, -1) });
        const found = body.details as { path: string; message: string }[];
        return found[0]?.path === 'startDate' && found;
      },
      { what: 'the day to be past' },
    );
    expect(details[0]?.message).toMatch(/^is past: today is 20/);
    const { paymentId } = await inTenDays(tpp);
    tpp.passes(16);
    await tpp.ran(paymentId, 'COMPLETED');
  });

  it('counts days from the real time again after the simulated bank started over', async () => {
    const tpp = await scene();
    const tomorrow = addDays(tpp.today(), 1);
    // The end before the beginning is a fault in any case, so that nothing is created.
    const faults = async () => {
      const { body } = await tpp.setUp({ startDate: tomorrow, endDate: addDays(tomorrow, -1) });
      return (body.details as { path: string }[]).map(({ path }) => path);
    };
    tpp.passes(60);
    await until(async () => (await faults()).includes('startDate'), { what: 'the day to be past' });
    service.bank.moveClock(tpp.tpp.clientId, 0);
    const isEndAlone = async () => (await faults()).join() === 'endDate';
    expect(await until(isEndAlone, { what: 'the day to come again' })).toBe(true);
  });
});

describe('§3.3 a deleted standing order runs no more', () => {
  it('leaves the list, is unknown, and polled without redirectUrl', async () => {
    const tpp = await scene();
    const { paymentId } = await inTenDays(tpp);
    const kept = await inTenDays(tpp);
    expect((await tpp.remove(paymentId)).status).toBe(204);
    expect((await tpp.list()).map((order) => order.paymentId)).toEqual([kept.paymentId]);
    const again = [await tpp.read(paymentId), await tpp.remove(paymentId)];
    for (const answer of again)
      expect([answer.status, answer.body.message]).toEqual([404, 'There is no such standing order.']);
    expect(await tpp.poll(paymentId)).toEqual({ status: 'AWAITING_APPROVAL', redirectUrl: '' });
    tpp.passes(16);
    await tpp.ran(kept.paymentId, 'COMPLETED');
    expect(service.bank.available(tpp.account)).toBe('874.50');
  });
});

describe('§4.5 what is wrong with a standing order is refused, names its field and keeps nothing', () => {
  const NEXT_YEAR = `${new Date().getUTCFullYear() + 1}`;

  it.each([
    ['startDate', { startDate: undefined }, 'is missing'],
    ['startDate', { startDate: '2027-02-31' }, 'is not a day of the calendar such as "2027-01-31"'],
    ['startDate', { startDate: '2026-01-31' }, expect.stringMatching(/^is past: today is 20/)],
    ['startDate', { startDate: '2999-01-31' }, expect.stringMatching(/^is too far ahead: 20/)],
    ['endDate', { endDate: '2026-01-31' }, 'is before startDate'],
    ['endDate', { endDate: '2999-01-31' }, expect.stringMatching(/^is too far ahead: 21/)],
    [
      'endDate',
      { startDate: 'in 20 days', endDate: 'in 21 days', dayOfExecution: 'of 18 days' },
      expect.stringMatching(/^is before the first run, which would be on 20/),
    ],
    [
      'frequency',
      { frequency: 'MonthlyVariable' },
      'must be one of: Daily, Weekly, EveryTwoWeeks, Monthly, EveryTwoMonths, Quarterly, SemiAnnual, Annual',
    ],
    ['dayOfExecution', { dayOfExecution: '0' }, 'is not a day of the month, "1" to "31"'],
    ['dayOfExecution', { dayOfExecution: '32' }, 'is not a day of the month, "1" to "31"'],
    ['dayOfExecution', { dayOfExecution: '01' }, 'is not a day of the month, "1" to "31"'],
    [
      'dayOfExecution',
      { dayOfExecution: '1', frequency: 'Weekly' },
      'goes with a frequency of months, not with Weekly',
    ],
    ['executionRule', { executionRule: 'none' }, 'must be one of: following, preceding'],
    ['amount', { amount: '-1' }, 'is not positive'],
    ['executionDate', { executionDate: `${NEXT_YEAR}-01-31` }, 'is unknown'],
    [
      'redirectUrl',
      { redirectUrl: 'javascript:alert(1)' },
      expect.stringMatching(/^is not one of the registered/),
    ],
  ])('%s (%#)', async (path, change, message) => {
    const tpp = await scene();
    const days = (text: unknown): string => addDays(tpp.today(), Number(/\d+/.exec(String(text))?.[0]));
    const sent = Object.entries({ startDate: 'in 10 days', ...change }).map(([name, value]) => {
      if (/^in \d/.test(String(value))) return [name, days(value)];
      return /^of \d/.test(String(value)) ? [name, String(partsOf(days(value)).day)] : [name, value];
    });
    const requestId = randomUUID();
    const refused = await tpp.setUp(Object.fromEntries(sent) as object, requestId);
    expect([refused.status, refused.body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect(refused.body.details).toEqual([{ path, message }]);
    expect(await tpp.list()).toEqual([]);
    expect((await tpp.setUp({ startDate: days('in 10 days') }, requestId)).status).toBe(201);
  });

  it('reports every fault of the days', async () => {
    const tpp = await scene();
    const wrong = { startDate: '2026-01-31', endDate: '2026-01-30', frequency: 'Daily', dayOfExecution: '1' };
    const { body } = await tpp.setUp(wrong);
    expect((body.details as { path: string }[]).map(({ path }) => path)).toEqual([
      'startDate',
      'endDate',
      'dayOfExecution',
    ]);
  });

  it('is one for one X-Request-Id, also of twins that arrive together', async () => {
    const tpp = await scene();
    const requestId = randomUUID();
    const startDate = addDays(tpp.today(), 10);
    const twins = await Promise.all(Array.from({ length: 5 }, () => tpp.setUp({ startDate }, requestId)));
    expect(new Set(twins.map(({ body }) => body.paymentId)).size).toBe(1);
    expect(await tpp.list()).toHaveLength(1);
    const other = await tpp.setUp({ startDate, amount: '1' }, requestId);
    expect([other.status, other.body.errorCode]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  });

  it('does not know those of another client', async () => {
    const [tpp, stranger] = [await scene(), await scene()];
    const { paymentId } = await inTenDays(tpp);
    const answers = [await stranger.read(paymentId), await stranger.remove(paymentId), await tpp.read('x')];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await stranger.list()).toEqual([]);
    expect(await tpp.list()).toHaveLength(1);
  });
});
