import { randomBytes, randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { createClient } from '@kontoport/grpc';
import { PaymentServiceClient, StrongAuthenticationServiceClient } from '@kontoport/proto/bank/v1';
import { bankAuthentication } from '../src/bank/bank-authentication.ts';
import { bankConnector } from '../src/bank/bank-connector.ts';
import { digestOf, summaryOf } from '../src/domain/approval-summary.model.ts';
import { paymentOf } from '../src/domain/draft.model.ts';
import type { PaymentOrder } from '../src/domain/ports/bank.ts';
import type { AuthenticationRequest } from '../src/domain/ports/strong-customer-authentication.ts';
import type { Schedule } from '../src/domain/schedule.model.ts';
import { BANK_USER, type BankProcess, startBankProcess } from './bank-process.ts';
import { bankConformance, codeOf, type OpenBank, transferOf } from './bank.conformance.ts';
import { startBank } from './test-bank.ts';

interface ConnectedBank extends OpenBank {
  process: BankProcess;
  authentication: ReturnType<typeof bankAuthentication>;
  /** @param schedule of a standing order, whose runs are such payments */
  approve(order: PaymentOrder, schedule?: Schedule): Promise<void>;
}

/** The request to a user about these payments. */
function asked(
  orders: readonly PaymentOrder[],
  more: { expiresAt?: Date; schedule?: Schedule | undefined } = {},
): AuthenticationRequest {
  const { schedule } = more;
  const approvalId = randomBytes(32).toString('base64url');
  const postings = new Map(orders.map(({ draft, posting }) => [draft.fields, posting]));
  const toApprove = orders.map(({ draft }) => ({
    ...draft,
    paymentId: paymentOf(draft).paymentId,
    ...(schedule && { schedule }),
  }));
  const summary = summaryOf(randomUUID(), toApprove, ({ fields }) => postings.get(fields)!);
  const expiresAt = more.expiresAt ?? new Date(Date.now() + 900_000);
  return {
    approvalId,
    userId: BANK_USER.userId,
    digest: digestOf(approvalId, summary),
    summary,
    clientName: 'Fjord Budget ApS',
    language: 'en',
    expiresAt,
  };
}

/** The service with the reference connector, which books in a ledger of its own. */
async function openConnectedBank(env?: Record<string, string>): Promise<ConnectedBank> {
  const ledger = await startBank();
  const process = await startBankProcess(`127.0.0.1:${ledger.port}`, env);
  const payments = createClient(PaymentServiceClient, process.address);
  const authentications = createClient(StrongAuthenticationServiceClient, process.address);
  const authentication = bankAuthentication(authentications);
  return {
    bank: bankConnector(payments),
    ledger,
    process,
    authentication,
    async approve(order, schedule) {
      const question = asked([order], { schedule });
      await authentication.authenticate(question);
      await process.answer(question.approvalId, 'APPROVED');
    },
    async close() {
      payments.close();
      authentications.close();
      await process.close();
      ledger.close();
    },
  };
}

describe("the connector to the bank's own system (§3.2)", () => {
  bankConformance(openConnectedBank);
});

describe("the bank's authentication of payments (§3.2)", () => {
  let opened: ConnectedBank;
  beforeAll(async () => {
    opened = await openConnectedBank();
  });
  afterAll(() => opened.close());

  const account = () => opened.ledger.addAccount({ clientId: randomUUID() });
  const authenticate = (question: AuthenticationRequest) =>
    codeOf(opened.authentication.authenticate(question).then(({ status }) => status));

  it('waits for the user, who sees client, amount and payee, and whose first decision is final', async () => {
    const question = asked([transferOf(account(), '12.50')]);
    expect(await authenticate(question)).toBe('pending');
    expect(await authenticate(question)).toBe('pending');
    expect(await opened.authentication.authenticate(question)).toEqual({
      status: 'pending',
      approvalUrl: expect.stringMatching(`^http://localhost:\\d+/app/${question.approvalId}$`) as string,
    });
    const page = await opened.process.answer(question.approvalId, 'APPROVED');
    for (const words of ['Fjord Budget ApS', '12.50 DKK', 'Receiver, bban 00400440116243'])
      expect(page).toContain(words);
    expect(await authenticate(question)).toBe('approved');
    await opened.process.answer(question.approvalId, 'DECLINED');
    expect(await authenticate(question)).toBe('approved');
  });

  it('is rejected for good when the user declines, and nothing is booked', async () => {
    const from = account();
    const order = transferOf(from);
    const question = asked([order]);
    await authenticate(question);
    await opened.process.answer(question.approvalId, 'DECLINED');
    await opened.process.answer(question.approvalId, 'APPROVED');
    expect(await authenticate(question)).toBe('declined');
    expect(await codeOf(opened.bank.submit(order))).toBe('STATUS_INVALID');
    expect(opened.ledger.available(from)).toBe('1000.00');
  });

  it('cannot be decided after its end', async () => {
    const order = transferOf(account());
    const question = asked([order], { expiresAt: new Date(Date.now() - 1) });
    expect(await authenticate(question)).toBe('pending');
    await opened.process.answer(question.approvalId, 'APPROVED');
    expect(await authenticate(question)).toBe('pending');
    expect(await codeOf(opened.bank.submit(order))).toBe('STATUS_INVALID');
  });

  it('is bound to one digest and one user', async () => {
    const question = asked([transferOf(account())]);
    await authenticate(question);
    await opened.process.answer(question.approvalId, 'APPROVED');
    const digest = randomBytes(32).toString('base64url');
    expect(await authenticate({ ...question, digest })).toBe('UNAVAILABLE');
    expect(await authenticate({ ...question, userId: randomUUID() })).toBe('UNAVAILABLE');
    expect(await authenticate(question)).toBe('approved');
  });

  it('books only the approved amount, payee, account and payment', async () => {
    const [from, other] = [account(), account()];
    const order = transferOf(from, '10.00');
    await opened.approve(order);
    const { draft } = order;
    const changed = (fields: Record<string, string>): PaymentOrder => {
      const made = transferOf(fields.senderAccountId ?? from, fields.amount ?? '10.00');
      return { posting: made.posting, draft: { ...draft, fields: made.draft.fields } };
    };
    const toOther = {
      ...order,
      posting: { ...order.posting, creditor: { name: 'Receiver', bban: '00400440116251' } },
    };
    for (const attempt of [
      changed({ amount: '10.01' }),
      changed({ senderAccountId: other }),
      toOther,
      transferOf(from, '10.00'),
    ])
      expect(await codeOf(opened.bank.submit(attempt))).toBe('STATUS_INVALID');
    expect([opened.ledger.available(from), opened.ledger.available(other)]).toEqual(['1000.00', '1000.00']);
    expect(await opened.bank.submit(order)).toBe('booked');
  });

  it('approves every run of a standing order with the order', async () => {
    const from = account();
    const order = transferOf(from, '10.00');
    await opened.approve(order, { startDate: '2026-12-01', frequency: 'Weekly', executionRule: 'following' });
    const requestId = paymentOf(order.draft).paymentId;
    const runs = Array.from({ length: 2 }, () => {
      const payment = { ...paymentOf(order.draft), paymentId: randomUUID(), requestId };
      return { ...order, draft: { ...order.draft, kind: 'run' as const, payment } };
    });
    for (const run of runs) expect(await opened.bank.submit(run)).toBe('booked');
    expect(opened.ledger.available(from)).toBe('980.00');
  });

  it('approves one payment with its approval, and no second one of the same content', async () => {
    const from = account();
    const order = transferOf(from, '10.00');
    await opened.approve(order);
    const { paymentId: requestId } = paymentOf(order.draft);
    const payment = { ...paymentOf(order.draft), paymentId: randomUUID(), requestId };
    const second = { ...order, draft: { ...order.draft, kind: 'run' as const, payment } };
    expect(await codeOf(opened.bank.submit(second))).toBe('STATUS_INVALID');
    expect(await opened.bank.submit(order)).toBe('booked');
    expect(opened.ledger.available(from)).toBe('990.00');
  });

  it('survives a crash of the bank at every step, and no money moves twice', async () => {
    const from = account();
    const order = transferOf(from, '10.00');
    const question = asked([order]);
    expect(await authenticate(question)).toBe('pending');
    await opened.process.crash();
    const answers = async (): Promise<unknown> => {
      const said = await authenticate(question);
      return said !== 'UNAVAILABLE' && said;
    };
    expect(await until(answers, { what: 'the bank to answer' })).toBe('pending');
    await opened.process.answer(question.approvalId, 'APPROVED');
    await opened.process.crash();
    expect(await until(answers, { what: 'the bank to answer' })).toBe('approved');
    opened.ledger.loseAnswers(1);
    expect(await codeOf(opened.bank.submit(order))).toBe('UNAVAILABLE');
    await opened.process.crash();
    const booked = async () => (await codeOf(opened.bank.submit(order))) === 'booked';
    await until(booked, { what: 'the payment to be booked' });
    expect(opened.ledger.available(from)).toBe('990.00');
  });
});

describe('a bank that answers pending (§3.2)', () => {
  it('answers pending, and books once after a repetition, also after a crash', async () => {
    const opened = await openConnectedBank({ BOOKING_DELAY: '250ms' });
    try {
      const from = opened.ledger.addAccount({ clientId: randomUUID() });
      const order = transferOf(from, '10.00');
      await opened.approve(order);
      expect(await opened.bank.submit(order)).toBe('pending');
      expect(opened.ledger.available(from)).toBe('1000.00');
      await opened.process.crash();
      const booked = async () => (await codeOf(opened.bank.submit(order))) === 'booked';
      await until(booked, { what: 'the payment to be booked' });
      expect(opened.ledger.available(from)).toBe('990.00');
    } finally {
      await opened.close();
    }
  });
});
