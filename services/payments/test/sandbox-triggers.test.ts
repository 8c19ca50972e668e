import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { PAYMENT_TRIGGERS, type PaymentTrigger } from '@kontoport/sandbox-triggers';
import { adapters } from '../src/adapters.ts';
import { bankingDayFrom } from '../src/domain/calendar/banking-days.model.ts';
import { dateIn } from '../src/domain/calendar/country-time.model.ts';
import { approvalsOf } from './approval-client.ts';
import { BANK_USER, startBankProcess } from './bank-process.ts';
import { readTransfers } from './read-transfers.ts';
import {
  type Caller,
  GIRO,
  REDIRECT,
  type RunningPayments,
  startPayments,
  TRANSFER,
} from './running-payments.ts';
import { startBank, USER } from './test-bank.ts';

const DAY_MS = 24 * 3_600_000;
const TRANSFERS = 'domestic-credit-transfer';
const TYPES = [TRANSFERS, 'swedish-bank-giro', 'swedish-plus-giro'] as const;
type PaymentType = (typeof TYPES)[number];

/** A client and its accounts, by currency. */
interface Scene {
  tpp: Caller;
  accounts: { DKK: string; SEK?: string };
}

/** A payment or a standing order whose approval has begun. */
interface Begun {
  path: string;
  approvalId: string;
  /** The status in the answer. */
  status: unknown;
}

let service: RunningPayments;
let users: ReturnType<typeof approvalsOf>;
let transfers: ReturnType<typeof readTransfers>;
let scene: Scene;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '10ms', env: { BOOKING_WAIT: '10ms' } });
  users = approvalsOf(service);
  transfers = readTransfers(service.broker.brokers);
  scene = await newScene();
});
afterAll(async () => {
  await transfers.close();
  await service.close();
});

async function newScene(): Promise<Scene> {
  const tpp = await service.caller();
  const open = (currency: string): string =>
    service.bank.addAccount({ clientId: tpp.clientId, currency, available: '1000000.00' });
  return { tpp, accounts: { DKK: open('DKK'), SEK: open('SEK') } };
}

/** The fields of a payment to the receiver of a trigger; without one, of an ordinary payment. */
function fieldsOf({ accounts }: Scene, type: PaymentType, trigger?: PaymentTrigger) {
  const { receiverAccountBban, receiverGiroNumber } = trigger?.values ?? { ...TRANSFER, ...GIRO };
  return type === TRANSFERS
    ? { ...TRANSFER, receiverAccountBban, senderAccountId: accounts.DKK }
    : { ...GIRO, receiverGiroNumber, senderAccountId: accounts.SEK };
}

const read = async ({ tpp }: Scene, path: string) => (await tpp.call('GET', path)).body;
const reaches = (from: Scene, path: string, status: string) =>
  until(
    async () => {
      const body = await read(from, path);
      return body.status === status && body;
    },
    { what: `${path} to be ${status}` },
  );
const begun = (path: string, { status, authUrl }: Record<string, unknown>): Begun => ({
  path,
  approvalId: new URL(String(authUrl)).pathname.split('/').at(-1)!,
  status,
});

/** Drafts, approved as one basket. */
async function basket(from: Scene, receivers: [PaymentType, PaymentTrigger?][]): Promise<Begun[]> {
  const drafts = receivers.map(([type, trigger]) => ({ type, trigger, draftId: randomUUID() }));
  for (const { type, trigger, draftId } of drafts) {
    await from.tpp.call('POST', `/payments/drafts/${type}`, { draftId, name: 'Test' });
    await from.tpp.call('PATCH', `/payments/drafts/${type}/${draftId}`, fieldsOf(from, type, trigger));
  }
  const answer = await from.tpp.approve(drafts.map(({ draftId }) => draftId));
  expect(answer.status).toBe(200);
  return drafts.map(({ type, draftId }) => begun(`/payments/drafts/${type}/${draftId}`, answer.body));
}

const draft = async (from: Scene, type: PaymentType, trigger?: PaymentTrigger): Promise<Begun> =>
  (await basket(from, [[type, trigger]]))[0]!;

async function initiate(from: Scene, collection: string, body: object): Promise<Begun> {
  const path = `/payments/${collection}`;
  const answer = await from.tpp.call('POST', path, { redirectUrl: REDIRECT, ...body });
  expect(answer).toMatchObject({ status: 201 });
  return begun(`${path}/${String(answer.body.paymentId)}`, answer.body);
}

const single = (from: Scene, type: PaymentType, trigger?: PaymentTrigger): Promise<Begun> =>
  initiate(from, type, fieldsOf(from, type, trigger));

/** A standing order that begins in ten days. */
const standingOrder = (from: Scene, trigger: PaymentTrigger): Promise<Begun> =>
  initiate(from, 'standing-orders', {
    ...fieldsOf(from, TRANSFERS, trigger),
    startDate: dateIn('DK', new Date(Date.now() + 10 * DAY_MS)),
    frequency: 'Annual',
  });

const lastRunReaches = (from: Scene, { path }: Begun, status: string): Promise<string> =>
  until(
    async () => {
      const { lastRun } = await read(from, path);
      const run = lastRun as { paymentId: string; status: string } | undefined;
      return run?.status === status && run.paymentId;
    },
    { what: `a run to be ${status}` },
  );

/** The user opens the page and approves. */
async function approveOnPage({ approvalId }: Begun): Promise<void> {
  const { isAsked, content } = await users.get(approvalId, USER);
  expect(isAsked).toBe(true);
  const { digest } = content!;
  const standing = await users.decide({ approvalId, digest }, { userId: USER, decision: 'approve' });
  expect(standing).toMatchObject({ status: 'APPROVED', returnUrl: REDIRECT });
}

/** Checks the start and the end of the approval. */
async function hasApproval({ approvalId, status }: Begun, trigger: PaymentTrigger): Promise<void> {
  const { at, redirectError } = trigger;
  expect(status).toBe(at === 'approval' ? 'AWAITING_APPROVAL' : 'APPROVED');
  const { standing, isAsked } = await users.get(approvalId);
  expect(standing).toMatchObject({
    status: at === 'approval' ? trigger.status : 'APPROVED',
    returnUrl: redirectError ? `${REDIRECT}?error=${redirectError}` : REDIRECT,
  });
  expect(isAsked).toBe(at === 'approval' && redirectError === undefined);
}

/** Checks the status and the code of a payment, and that no money moved. @returns its id */
async function hasEffect(payment: Begun, trigger: PaymentTrigger): Promise<string> {
  const { errorCode } = trigger;
  const { paymentId, rejection } = await reaches(scene, payment.path, trigger.status);
  expect((rejection as { errorCode: string } | undefined)?.errorCode).toBe(errorCode);
  expect(service.bank.booked.has(String(paymentId))).toBe(false);
  await hasApproval(payment, trigger);
  return String(paymentId);
}

describe.each(PAYMENT_TRIGGERS)('§Sandbox the receivers of $name', (trigger) => {
  it.each(TYPES)('apply to a draft, and webhooks report it: %s', async (type) => {
    const payment = await draft(scene, type, trigger);
    await hasEffect(payment, trigger);
    const first = trigger.at === 'approval' ? 'AWAITING_APPROVAL' : 'PENDING';
    const statuses = [...new Set([first, trigger.status])];
    const events = await transfers.ofDraft(payment.path.split('/').at(-1)!, statuses.length);
    expect(events.map(({ value }) => value.message.status)).toEqual(statuses);
  });

  it.each(TYPES)('apply to a single payment, and polling reports it: %s', async (type) => {
    const paymentId = await hasEffect(await single(scene, type, trigger), trigger);
    const status = trigger.at === 'approval' ? trigger.status : 'APPROVED';
    expect(await read(scene, `/polling/${paymentId}/status`)).toEqual({ status, redirectUrl: REDIRECT });
  });
});

describe('§Sandbox a standing order to the receiver of a trigger', () => {
  const at = (stage: PaymentTrigger['at']) => PAYMENT_TRIGGERS.filter((trigger) => trigger.at === stage);

  it.each(at('approval'))('has the result of its approval: $name', async (trigger) => {
    const order = await standingOrder(scene, trigger);
    expect(await reaches(scene, order.path, trigger.status)).not.toHaveProperty('lastRun');
    await hasApproval(order, trigger);
  });

  it.each(at('booking'))('is approved, and its run has the result: $name', async (trigger) => {
    const from = await newScene();
    const order = await standingOrder(from, trigger);
    await hasApproval(order, trigger);
    service.bank.moveClock(from.tpp.clientId, 20 * DAY_MS);
    const paymentId = await lastRunReaches(from, order, trigger.status);
    expect(service.bank.booked.has(paymentId)).toBe(false);
  });
});

const named = (name: string): PaymentTrigger => PAYMENT_TRIGGERS.find((trigger) => trigger.name === name)!;

describe('§Sandbox a basket with several triggers', () => {
  const [declined, page, closed] = ['payment-declined', 'approval-page', 'receiver-closed'].map(named);

  it('has one approval: its first trigger of the approval decides', async () => {
    const refused = await basket(scene, [['swedish-bank-giro'], [TRANSFERS, declined], [TRANSFERS, page]]);
    const rejection = { errorCode: 'STATUS_INVALID', message: 'The user did not approve the payment.' };
    for (const { path } of refused)
      expect(await reaches(scene, path, 'REJECTED')).toMatchObject({ rejection });
    const asked = await basket(scene, [['swedish-bank-giro'], [TRANSFERS, page], [TRANSFERS, declined]]);
    await approveOnPage(asked[0]!);
    for (const { path } of asked) await reaches(scene, path, 'COMPLETED');
  });

  it('has a result of the bank for each payment', async () => {
    const [booked, rejected] = await basket(scene, [
      [TRANSFERS, page],
      ['swedish-plus-giro', closed],
    ]);
    await approveOnPage(booked!);
    await reaches(scene, booked!.path, 'COMPLETED');
    const rejection = { errorCode: 'STATUS_INVALID', message: 'The bank did not carry out the payment.' };
    expect(await reaches(scene, rejected!.path, 'REJECTED')).toMatchObject({ rejection });
  });
});

describe('§Sandbox the clock of the simulated bank', () => {
  /** Moves the clock to so many days ahead, and waits until a payment for the day before is refused as past. */
  async function moveTo(from: Scene, days: number): Promise<void> {
    service.bank.moveClock(from.tpp.clientId, days * DAY_MS);
    const executionDate = dateIn('DK', new Date(Date.now() + (days - 1) * DAY_MS));
    const past = { ...fieldsOf(from, TRANSFERS), redirectUrl: REDIRECT, executionDate };
    const isPast = async () => (await from.tpp.call('POST', `/payments/${TRANSFERS}`, past)).status === 400;
    await until(isPast, { what: 'the clock' });
  }

  it('books pending payments after three days, and none of another organization', async () => {
    const pending = named('payment-pending');
    const [from, other] = [await newScene(), await newScene()];
    const theirs = await single(other, TRANSFERS, pending);
    const order = await standingOrder(from, pending);
    await moveTo(from, 20);
    const paths = [
      ...(await Promise.all(TYPES.map((type) => draft(from, type, pending)))),
      ...(await Promise.all(TYPES.map((type) => single(from, type, pending)))),
    ].map(({ path }) => path);
    await lastRunReaches(from, order, 'PENDING');
    for (const days of [20, 22.5]) {
      await moveTo(from, days);
      // An ordinary payment overtakes them.
      await reaches(from, (await single(from, TRANSFERS)).path, 'COMPLETED');
      for (const path of paths) expect((await read(from, path)).status).toBe('PENDING');
      await lastRunReaches(from, order, 'PENDING');
    }
    service.bank.moveClock(from.tpp.clientId, 23 * DAY_MS);
    for (const path of paths) await reaches(from, path, 'COMPLETED');
    await lastRunReaches(from, order, 'COMPLETED');
    expect((await read(other, theirs.path)).status).toBe('PENDING');
    expect((await other.tpp.call('DELETE', theirs.path)).status).toBe(204);
  });

  it('determines the day of a payment that its user approves on the page', async () => {
    const from = await newScene();
    await moveTo(from, 10);
    const executionDate = bankingDayFrom('DK', dateIn('DK', new Date(Date.now() + 12 * DAY_MS)));
    const fields = { ...fieldsOf(from, TRANSFERS, named('approval-page')), executionDate };
    const payment = await initiate(from, TRANSFERS, fields);
    await approveOnPage(payment);
    expect((await read(from, payment.path)).status).toBe('PENDING');
    service.bank.moveClock(from.tpp.clientId, Date.parse(executionDate) + DAY_MS - Date.now());
    await reaches(from, payment.path, 'COMPLETED');
  });
});

describe('§Sandbox the adapters of production', () => {
  it('treat the receivers of triggers like any other', async () => {
    const ledger = await startBank();
    const bank = await startBankProcess(`127.0.0.1:${ledger.port}`);
    const { bank: connector, strongCustomerAuthentication } = adapters.production;
    const connected = { ...adapters.sandbox, bank: connector, strongCustomerAuthentication };
    const production = await startPayments({
      settlementDelay: '0ms',
      bank: ledger,
      adapters: { sandbox: connected, production: connected },
      env: { BANK_GRPC: bank.address, BANK_PLAINTEXT: 'true' },
    });
    const { userId } = BANK_USER;
    const tpp = await production.caller();
    const from = {
      tpp,
      accounts: { DKK: ledger.addAccount({ clientId: tpp.clientId, userId, available: '9999.00' }) },
    };
    const pages = approvalsOf(production);
    try {
      for (const trigger of PAYMENT_TRIGGERS) {
        const { path, approvalId, status } = await single(from, TRANSFERS, trigger);
        expect(status).toBe('AWAITING_APPROVAL');
        const { digest } = (await pages.get(approvalId, userId)).content!;
        await pages.decide({ approvalId, digest }, { userId, decision: 'approve' });
        await bank.answer(approvalId, 'APPROVED');
        await reaches(from, path, 'COMPLETED');
      }
    } finally {
      await production.close();
      await bank.close();
    }
  });
});
