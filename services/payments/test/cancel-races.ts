import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { type Caller, DRAFTS, type RunningPayments } from './running-payments.ts';

const APPROVE = '/payments/drafts/approve';
const ROUND = 100;

/** How a payment of a race ended. */
interface Ending {
  /** What the last DELETE was answered. */
  answer: number;
  status: string;
  booked: boolean;
}

/**
 * Cancels a basket of payments while they are settled (§3.2).
 * @param race.disturb what befalls the bank meanwhile
 * @returns how each ended, once none is PENDING any more; the bank holds what is left of the account's 1,000
 */
export async function raceCancels(
  { bank }: Pick<RunningPayments, 'bank'>,
  tpp: Caller,
  race: { disturb?: () => Promise<void> } = {},
): Promise<{ endings: Ending[]; available: string }> {
  const account = bank.addAccount({ clientId: tpp.clientId });
  const draftIds = await Promise.all(Array.from({ length: ROUND }, () => tpp.validDraft(account, '1.00')));
  const requestId = randomUUID();
  await tpp.approve(draftIds, requestId);
  const basket = async () => {
    const { body } = await tpp.call('GET', `${APPROVE}/${requestId}/status`);
    return body.drafts as { status: string; paymentId?: string }[];
  };
  const paymentIds = (await basket()).map(({ paymentId }) => paymentId!);

  const cancel = async (draftId: string, i: number): Promise<number> => {
    // As many reads as the number says come first, so that the cancels spread over the moments of settlement.
    for (let read = 0; read < i % 3; read++) await tpp.status(draftId);
    return until(
      async () => {
        const { status } = await tpp.call('DELETE', `${DRAFTS}/${draftId}/payment`);
        return status !== 503 && status;
      },
      { what: 'the bank to answer', timeout: 120_000 },
    );
  };
  const [answers] = await Promise.all([Promise.all(draftIds.map(cancel)), race.disturb?.()]);

  const settled = await until(
    async () => {
      const entries = await basket();
      return entries.every(({ status }) => status !== 'PENDING') && entries;
    },
    { what: 'all payments to be decided', timeout: 120_000 },
  );
  return {
    available: bank.available(account),
    endings: settled.map(({ status }, i) => ({
      answer: answers[i]!,
      status,
      booked: bank.booked.has(paymentIds[i]!),
    })),
  };
}
