import { randomUUID } from 'node:crypto';
import { expectStatus, expectThat, type Json, jsonOf, listOf, objectOf, textOf } from './expectations.ts';
import type { ChosenAccount } from './read-accounts.ts';
import { eventually, PAYMENT, RECEIVER_BBAN, REDIRECT_URI, type Session, type Tour } from './script.ts';
import type { Answer, Call } from './tpp-client.ts';

const BOOKED_LIMIT_MS = 60_000;
const DAY_MS = 86_400_000;

interface Asked {
  call: Call;
  answer: Answer;
  json: Json;
}

/** A payment in one call, and how it stands (§4.5). */
export async function paySingly(tour: Tour, session: Session, account: ChosenAccount): Promise<void> {
  const { narrator, sandbox } = tour;
  narrator.step('Initiate a single payment, twice by mistake');
  const payment: Call = {
    method: 'POST',
    url: `${sandbox.baseUrl}/payments/domestic-credit-transfer`,
    json: { ...transferFrom(account), message: 'Bicycle' },
    requestId: randomUUID(),
  };
  const first = await ask(tour, session, payment);
  const paymentId = textOf(first.json, 'paymentId');
  narrator.exchange(first.call, first.answer, { paymentId, status: textOf(first.json, 'status') });
  const again = await ask(tour, session, payment);
  const repeated = textOf(again.json, 'paymentId');
  expectThat(repeated === paymentId, `the payment ${paymentId} again`, repeated);
  narrator.exchange(again.call, again.answer, { paymentId: repeated });

  narrator.step('Poll the payment, read it, and find it in the list');
  const polled = await ask(tour, session, {
    method: 'GET',
    url: `${sandbox.baseUrl}/polling/${paymentId}/status`,
  });
  const status = textOf(polled.json, 'status');
  expectThat(status === 'APPROVED', 'a payment APPROVED', status);
  narrator.exchange(polled.call, polled.answer, { status, redirectUrl: textOf(polled.json, 'redirectUrl') });
  const read = await ask(tour, session, { method: 'GET', url: `${payment.url}/${paymentId}` });
  narrator.exchange(read.call, read.answer, { status: textOf(read.json, 'status') });
  const listed = await ask(tour, session, { method: 'GET', url: payment.url });
  const [newest] = listOf(listed.json, 'payments');
  const listedId = newest && textOf(newest, 'paymentId');
  expectThat(listedId === paymentId, `the payment ${paymentId} at the head of the list`, listedId);
  narrator.exchange(listed.call, listed.answer, { 'payments[0].paymentId': listedId });
}

/** A standing order, whose first run the sandbox need not wait for (§4.5, §Sandbox). */
export async function repeatMonthly(tour: Tour, session: Session, account: ChosenAccount): Promise<void> {
  const { narrator, sandbox } = tour;
  narrator.step('Set up a standing order that begins in a month');
  const clock = await ask(tour, session, { method: 'GET', url: `${sandbox.baseUrl}/sandbox/clock` });
  const today = danishDay(textOf(clock.json, 'now'));
  const orders = `${sandbox.baseUrl}/payments/standing-orders`;
  const made = await ask(tour, session, {
    method: 'POST',
    url: orders,
    json: {
      ...transferFrom(account),
      message: 'Instalment',
      startDate: new Date(today + 30 * DAY_MS).toISOString().slice(0, 10),
      frequency: 'Monthly',
    },
  });
  narrator.exchange(made.call, made.answer, { status: textOf(made.json, 'status') });
  const order: Call = { method: 'GET', url: `${orders}/${textOf(made.json, 'paymentId')}` };
  const planned = await ask(tour, session, order);
  const nextExecutionDate = textOf(planned.json, 'nextExecutionDate');
  narrator.exchange(planned.call, planned.answer, { nextExecutionDate });

  narrator.step('Move the clock on to its day, and see the run booked');
  const day = Date.parse(`${nextExecutionDate}T00:00:00Z`);
  const moveOn = async (advance: string): Promise<string> => {
    const url = `${sandbox.baseUrl}/sandbox/clock`;
    const moved = await ask(tour, session, { method: 'POST', url, json: { advance } });
    const now = textOf(moved.json, 'now');
    narrator.exchange(moved.call, moved.answer, { now });
    return now;
  };
  const now = await moveOn(`P${Math.round((day - today) / DAY_MS)}D`);
  // Where summer time ends on the way, an hour can be missing.
  if (danishDay(now) < day) await moveOn('PT1H');
  await eventually(
    async () => {
      const { call, answer, json } = await ask(tour, session, order);
      if (json.lastRun === undefined) return undefined;
      const run = objectOf(json, 'lastRun');
      const status = textOf(run, 'status');
      expectThat(status === 'PENDING' || status === 'COMPLETED', 'a run PENDING or COMPLETED', status);
      if (status !== 'COMPLETED') return undefined;
      const facts = {
        'lastRun.paymentId': textOf(run, 'paymentId'),
        'lastRun.executionDate': textOf(run, 'executionDate'),
        'lastRun.status': status,
        nextExecutionDate: textOf(json, 'nextExecutionDate'),
      };
      narrator.exchange(call, answer, facts);
      return status;
    },
    { what: 'the run COMPLETED', limit: BOOKED_LIMIT_MS, every: 250 },
  );
}

function transferFrom({ id: senderAccountId }: ChosenAccount): Json {
  return {
    receiverAccountBban: RECEIVER_BBAN,
    receiverName: PAYMENT.receiverName,
    amount: '25.00',
    currency: PAYMENT.currency,
    senderAccountId,
    redirectUrl: REDIRECT_URI,
  };
}

/** The day that it is in Denmark, as its midnight in UTC. */
function danishDay(now: string): number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Copenhagen' });
  return Date.parse(`${format.format(new Date(now))}T00:00:00Z`);
}

async function ask({ tpp }: Tour, { authorization }: Session, asked: Call): Promise<Asked> {
  const call: Call = { ...asked, authorization };
  const answer = await tpp.call(call);
  expectStatus(answer, 200, 201);
  return { call, answer, json: jsonOf(answer) };
}
