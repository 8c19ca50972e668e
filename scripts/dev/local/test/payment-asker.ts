import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { TppApp } from './tpp-app.ts';

/** A day of the calendar, so many ahead. */
export const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

export type PaymentAsker = ReturnType<typeof asksToPay>;

/** What a TPP asks the user of an account to approve. */
export function asksToPay(tpp: TppApp, accountId: string) {
  const transfer = (amount: string) => ({
    receiverAccountBban: '00400440116251',
    receiverName: 'Havnens Boligforening',
    amount,
    currency: 'DKK',
    senderAccountId: accountId,
  });

  /** Drafts that wait for their user, and how their basket stands. */
  async function payments(...amounts: string[]) {
    const drafts = '/payments/drafts/domestic-credit-transfer';
    const requestId = randomUUID();
    const draftIds: string[] = [];
    for (const amount of amounts.length > 0 ? amounts : ['125.50']) {
      const draftId = randomUUID();
      await tpp.call('POST', drafts, { body: { draftId, name: 'Rent for December' } });
      await tpp.call('PATCH', `${drafts}/${draftId}`, { body: transfer(amount) });
      draftIds.push(draftId);
    }
    const body = { requestId, draftIds, redirectUrl: `${tpp.redirectUri}?of=${requestId}` };
    const { authUrl } = await tpp.call('POST', '/payments/drafts/approve', { body });
    const path = `/payments/drafts/approve/${requestId}/status`;
    const read = () =>
      tpp.call('GET', path) as Promise<{ status: string; drafts: { paymentId: string; status: string }[] }>;
    return {
      authUrl: String(authUrl),
      requestId,
      draftIds,
      status: async () => (await read()).status,
      paymentId: async () => (await read()).drafts[0]!.paymentId,
      /** Waits until the TPP reads this of basket and draft. */
      becomes: (...wanted: [basket: string, draft: string]) =>
        until(
          async () => {
            const { status, drafts: entries } = await read();
            return String([status, entries[0]!.status]) === String(wanted);
          },
          { what: `the basket and its draft to be ${wanted.join(', ')}` },
        ),
    };
  }

  /** How many transactions of the account are this payment, once it is booked. */
  async function timesPaid({ draftIds }: { draftIds: string[] }, amount: number): Promise<number> {
    const draft = `/payments/drafts/domestic-credit-transfer/${draftIds[0]}`;
    await until(async () => (await tpp.call('GET', draft)).status === 'COMPLETED', { what: 'the payment' });
    const { transactions } = (await tpp.call('GET', `/accounts/${accountId}/transactions`)) as {
      transactions: { billingAmount: { amount: number } }[];
    };
    return transactions.filter(({ billingAmount }) => billingAmount.amount === -amount).length;
  }

  /** A payment, or a standing order, that is initiated and waits for its user. */
  async function initiate(what: 'domestic-credit-transfer' | 'standing-orders', schedule: object = {}) {
    const of = randomUUID();
    const redirectUrl = `${tpp.redirectUri}?of=${of}`;
    const sent = { ...transfer('4321.00'), message: 'Rent', redirectUrl, ...schedule };
    const { authUrl, paymentId } = await tpp.call('POST', `/payments/${what}`, { body: sent });
    return { of, authUrl: String(authUrl), path: `/payments/${what}/${String(paymentId)}` };
  }

  const standingOrder = () =>
    initiate('standing-orders', { startDate: inDays(30), endDate: inDays(400), frequency: 'Monthly' });

  /** A payment that its TPP has deleted, so that nobody can say yes to it any more. */
  async function expired() {
    const asked = await initiate('domestic-credit-transfer');
    await tpp.call('DELETE', asked.path);
    return asked;
  }

  return { payments, standingOrder, expired, timesPaid };
}
