import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { TppApp } from './tpp-app.ts';

/** Returns the day of the calendar after the given number of days. */
export const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Formats a day as the English pages do. */
export const inWords = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(day));

export type PaymentAsker = ReturnType<typeof asksToPay>;

/** Makes payments of a TPP that wait for the user of an account. */
export function asksToPay(tpp: TppApp, accountId: string) {
  const transfer = (amount: string) => ({
    receiverAccountBban: '00400440116251',
    receiverName: 'Havnens Boligforening',
    amount,
    currency: 'DKK',
    senderAccountId: accountId,
  });

  /** Makes a basket of drafts, one for each amount. */
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

  /** Counts the transactions of a payment, once it is booked. */
  async function timesPaid({ draftIds }: { draftIds: string[] }, amount: number): Promise<number> {
    const draft = `/payments/drafts/domestic-credit-transfer/${draftIds[0]}`;
    await until(async () => (await tpp.call('GET', draft)).status === 'COMPLETED', { what: 'the payment' });
    const { transactions } = (await tpp.call('GET', `/accounts/${accountId}/transactions`)) as {
      transactions: { billingAmount: { amount: number } }[];
    };
    return transactions.filter(({ billingAmount }) => billingAmount.amount === -amount).length;
  }

  /** Initiates a payment or a standing order. */
  async function initiate(what: 'domestic-credit-transfer' | 'standing-orders', schedule: object = {}) {
    const of = randomUUID();
    const redirectUrl = `${tpp.redirectUri}?of=${of}`;
    const sent = { ...transfer('4321.00'), message: 'Rent', redirectUrl, ...schedule };
    const { authUrl, paymentId } = await tpp.call('POST', `/payments/${what}`, { body: sent });
    return { of, authUrl: String(authUrl), path: `/payments/${what}/${String(paymentId)}` };
  }

  const standingOrder = () =>
    initiate('standing-orders', { startDate: inDays(30), endDate: inDays(400), frequency: 'Monthly' });

  /** Makes a payment that its TPP has deleted, so that nobody can approve it. */
  async function expired() {
    const asked = await initiate('domestic-credit-transfer');
    await tpp.call('DELETE', asked.path);
    return asked;
  }

  return { payments, standingOrder, expired, timesPaid };
}
