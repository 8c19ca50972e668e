import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { toApiError } from '@kontoport/errors';
import { domesticCreditTransfer } from '../src/domain/payment-types/domestic-credit-transfer.ts';
import type { Bank, PaymentOrder } from '../src/domain/ports/bank.ts';
import type { TestBank } from './test-bank.ts';

/** A bank under test, over a ledger that shows what was booked. */
export interface OpenBank {
  bank: Bank;
  ledger: TestBank;
  /** The user approves the payment, where the bank asks for that. */
  approve?(order: PaymentOrder): Promise<void>;
  close(): Promise<void>;
}

const CLIENT = randomUUID();

/** A transfer that is PENDING. */
export function transferOf(senderAccountId: string, amount = '125.50'): PaymentOrder {
  const fields = {
    senderAccountId,
    amount,
    currency: 'DKK',
    receiverName: 'Receiver',
    receiverAccountBban: '00400440116243',
  };
  const at = new Date('2026-03-01T12:00:00.000Z');
  return {
    posting: domesticCreditTransfer.posting(fields),
    draft: {
      kind: 'draft',
      clientId: CLIENT,
      organizationIdentifier: 'PSDDK-DFSA-1',
      draftId: randomUUID(),
      paymentType: 'domestic-credit-transfer',
      name: 'Rent',
      fields,
      validationErrors: [],
      validationWarnings: [],
      status: 'PENDING',
      payment: {
        paymentId: randomUUID(),
        requestId: randomUUID(),
        approvedAt: at,
        dueAt: at,
        attempts: 1,
        traceparent: undefined,
      },
      createdAt: at,
      updatedAt: at,
    },
  };
}

/** Returns the answer, or the code of the error. */
export async function codeOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    (value) => value,
    (error: unknown) => toApiError(error).code,
  );
}

/** The behaviour of every bank (§3.2): run it with `describe`. */
export function bankConformance(open: () => Promise<OpenBank>): void {
  let opened: OpenBank;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const account = (available = '1000.00') => opened.ledger.addAccount({ clientId: CLIENT, available });
  const order = async (senderAccountId: string, amount?: string): Promise<PaymentOrder> => {
    const made = transferOf(senderAccountId, amount);
    await opened.approve?.(made);
    return made;
  };
  it('books a payment once, also for concurrent submissions', async () => {
    const from = account();
    const payment = await order(from);
    const answers = await Promise.all(Array.from({ length: 5 }, () => opened.bank.submit(payment)));
    expect(answers).toEqual(Array(5).fill('booked'));
    expect(await opened.bank.submit(payment)).toBe('booked');
    expect(opened.ledger.available(from)).toBe('874.50');
    expect([...opened.ledger.booked.keys()]).toContain(payment.draft.payment!.paymentId);
  });

  it('refuses without funds, for good', async () => {
    const from = account('100.00');
    const payment = await order(from, '100.01');
    expect(await codeOf(opened.bank.submit(payment))).toBe('FUNDS_INSUFFICIENT');
    expect(await codeOf(opened.bank.submit(payment))).toBe('FUNDS_INSUFFICIENT');
    expect(await opened.bank.submit(await order(from, '100.00'))).toBe('booked');
    expect(opened.ledger.available(from)).toBe('0.00');
  });

  it('refuses an account that it does not have', async () => {
    expect(await codeOf(opened.bank.submit(await order(randomUUID())))).toBe('RESOURCE_UNKNOWN');
  });

  it('books nothing under a cancelled paymentId, also after repetitions', async () => {
    const from = account();
    const payment = await order(from);
    expect(await opened.bank.cancel(payment)).toBe('cancelled');
    expect(await opened.bank.cancel(payment)).toBe('cancelled');
    expect(await opened.bank.submit(payment)).toBe('cancelled');
    expect(opened.ledger.available(from)).toBe('1000.00');
  });

  it('does not cancel a booked payment', async () => {
    const from = account();
    const payment = await order(from);
    await opened.bank.submit(payment);
    expect(await opened.bank.cancel(payment)).toBe('booked');
    expect(await opened.bank.cancel(payment)).toBe('booked');
    expect(opened.ledger.available(from)).toBe('874.50');
  });

  it('cancels a refused payment', async () => {
    const payment = await order(account('1.00'));
    await codeOf(opened.bank.submit(payment));
    expect(await opened.bank.cancel(payment)).toBe('cancelled');
  });

  it('books or cancels for concurrent requests, and answers both accordingly', async () => {
    for (let i = 0; i < 20; i += 1) {
      const from = account();
      const payment = await order(from);
      const [submitted, cancelled] = await Promise.all([
        codeOf(opened.bank.submit(payment)),
        opened.bank.cancel(payment),
      ]);
      const booked = cancelled === 'booked';
      expect(submitted).toBe(booked ? 'booked' : 'cancelled');
      expect(opened.ledger.available(from)).toBe(booked ? '874.50' : '1000.00');
    }
  });

  it('is UNAVAILABLE after a lost answer, and repeats the answer', async () => {
    const [first, second] = [account(), account()];
    const [booked, cancelled] = [await order(first), await order(second)];
    opened.ledger.loseAnswers(1);
    expect(await codeOf(opened.bank.submit(booked))).toBe('UNAVAILABLE');
    expect(await opened.bank.submit(booked)).toBe('booked');
    expect(opened.ledger.available(first)).toBe('874.50');
    opened.ledger.loseAnswers(1);
    expect(await codeOf(opened.bank.cancel(cancelled))).toBe('UNAVAILABLE');
    expect(await opened.bank.cancel(cancelled)).toBe('cancelled');
    expect(await opened.bank.submit(cancelled)).toBe('cancelled');
  });

  it('is UNAVAILABLE during an outage of the ledger, and answers after it', async () => {
    const from = account();
    const payment = await order(from);
    await opened.ledger.leave();
    try {
      expect(await codeOf(opened.bank.submit(payment))).toBe('UNAVAILABLE');
      expect(await codeOf(opened.bank.cancel(payment))).toBe('UNAVAILABLE');
    } finally {
      await opened.ledger.comeBack();
    }
    const back = async () => (await codeOf(opened.bank.submit(payment))) === 'booked';
    await until(back, { what: 'the payment to be booked' });
    expect(opened.ledger.available(from)).toBe('874.50');
  });

  it('cannot cancel on an unknown account', async () => {
    expect(await codeOf(opened.bank.cancel(await order(randomUUID())))).toBe('UNAVAILABLE');
  });
}
