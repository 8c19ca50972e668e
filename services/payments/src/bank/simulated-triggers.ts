import { PAYMENT_TRIGGERS, type PaymentTrigger } from '@kontoport/sandbox-triggers';
import type { SummarizedPayment } from '../domain/approval-summary.model.ts';

const BY_NUMBER = new Map(
  PAYMENT_TRIGGERS.flatMap((trigger) => Object.values(trigger.values).map((number) => [number, trigger])),
);

/** The trigger of payments to this payee, if there is one at this stage (§Sandbox). */
export function triggerOf(
  { number }: Pick<SummarizedPayment['payee'], 'number'>,
  at: PaymentTrigger['at'],
): PaymentTrigger | undefined {
  // A giro number has a dash.
  const trigger = BY_NUMBER.get(number.replaceAll('-', ''));
  return trigger?.at === at ? trigger : undefined;
}
