import { randomUUID } from 'node:crypto';
import { expectThat, type Json, listOf, objectOf, textOf } from './expectations.ts';
import { api, eventually, PAYMENT, RECEIVER_BBAN, REDIRECT_URI, type Visit } from './script.ts';

const DAY_MS = 86_400_000;
const TRANSFERS = '/payments/domestic-credit-transfer';
const ORDERS = '/payments/standing-orders';

/** Initiates a payment in one call, repeats it, polls it, reads it and lists it (§4.5). */
export async function paySingly(tour: Visit): Promise<void> {
  const { narrator } = tour;
  await narrator.chapter('Initiate a single payment, twice by mistake, and poll it');
  const json = { ...transferFrom(tour), message: 'Bicycle' };
  const payment = { method: 'POST', path: TRANSFERS, json, requestId: randomUUID() } as const;
  const first = await api(tour, payment);
  const paymentId = textOf(first.json, 'paymentId');
  narrator.exchange(first, { paymentId, status: textOf(first.json, 'status') });
  const again = await api(tour, payment);
  const repeated = textOf(again.json, 'paymentId');
  expectThat(repeated === paymentId, `the payment ${paymentId} again`, repeated);
  narrator.exchange(again, { paymentId: repeated });

  const polled = await api(tour, { path: `/polling/${paymentId}/status` });
  const status = textOf(polled.json, 'status');
  expectThat(status === 'APPROVED', 'a payment APPROVED', status);
  narrator.exchange(polled, { status, redirectUrl: textOf(polled.json, 'redirectUrl') });
  const read = await api(tour, { path: `${TRANSFERS}/${paymentId}` });
  narrator.exchange(read, { status: textOf(read.json, 'status') });
  const listed = await api(tour, { path: TRANSFERS });
  const [newest] = listOf(listed.json, 'payments');
  const listedId = newest && textOf(newest, 'paymentId');
  expectThat(listedId === paymentId, `the payment ${paymentId} at the head of the list`, listedId);
  narrator.exchange(listed, { 'payments[0].paymentId': listedId });
}

/** Sets up a standing order and moves the sandbox's clock to its first run (§4.5, §Sandbox). */
export async function repeatMonthly(tour: Visit): Promise<void> {
  const { narrator } = tour;
  await narrator.chapter('Set up a standing order, and move the clock to its first run');
  const clock = await api(tour, { path: '/sandbox/clock' });
  const today = danishDay(textOf(clock.json, 'now'));
  const made = await api(tour, {
    method: 'POST',
    path: ORDERS,
    json: {
      ...transferFrom(tour),
      message: 'Instalment',
      startDate: new Date(today + 30 * DAY_MS).toISOString().slice(0, 10),
      frequency: 'Monthly',
    },
  });
  narrator.exchange(made, { status: textOf(made.json, 'status') });
  const path = `${ORDERS}/${textOf(made.json, 'paymentId')}`;
  const planned = await api(tour, { path });
  const nextExecutionDate = textOf(planned.json, 'nextExecutionDate');
  narrator.exchange(planned, { nextExecutionDate });

  const day = Date.parse(`${nextExecutionDate}T00:00:00Z`);
  const moveOn = async (advance: string): Promise<string> => {
    const moved = await api(tour, { method: 'POST', path: '/sandbox/clock', json: { advance } });
    const now = textOf(moved.json, 'now');
    narrator.exchange(moved, { now });
    return now;
  };
  const now = await moveOn(`P${Math.round((day - today) / DAY_MS)}D`);
  // At the end of summer time an hour can be missing.
  if (danishDay(now) < day) await moveOn('PT1H');
  const { asked, run } = await eventually('the run COMPLETED', async () => {
    const asked = await api(tour, { path });
    if (asked.json.lastRun === undefined) return undefined;
    const run = objectOf(asked.json, 'lastRun');
    const status = textOf(run, 'status');
    expectThat(status === 'PENDING' || status === 'COMPLETED', 'a run PENDING or COMPLETED', status);
    return status === 'COMPLETED' ? { asked, run } : undefined;
  });
  narrator.exchange(asked, {
    'lastRun.paymentId': textOf(run, 'paymentId'),
    'lastRun.executionDate': textOf(run, 'executionDate'),
    nextExecutionDate: textOf(asked.json, 'nextExecutionDate'),
  });
}

const transferFrom = ({ account }: Visit): Json => ({
  receiverAccountBban: RECEIVER_BBAN,
  receiverName: PAYMENT.receiverName,
  amount: '25.00',
  currency: PAYMENT.currency,
  senderAccountId: account.id,
  redirectUrl: REDIRECT_URI,
});

/** The day in Denmark, as its midnight in UTC. */
function danishDay(now: string): number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Copenhagen' });
  return Date.parse(`${format.format(new Date(now))}T00:00:00Z`);
}
