import { route, type Route } from '@kontoport/gate';
import type { PaymentTypeRules, PaymentTypes } from '../domain/payment-types/payment-type.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { DraftStore } from '../domain/ports/draft-store.ts';
import { draftOfPath } from './drafts.routes.ts';
import { withdrawPayment } from './withdraw-payment.ts';

interface CancelDeps {
  store: DraftStore;
  bank: Bank;
}

/** Cancellation of the payment of a draft, for each payment type that offers it (§4.4, §3.2). */
export function cancellationRoutes(deps: CancelDeps & { paymentTypes: PaymentTypes }): Route[] {
  return Object.entries(deps.paymentTypes).flatMap(([paymentType, rules]) =>
    rules.onDeletion === 'draft-again' ? [cancelRoute(deps, paymentType, rules)] : [],
  );
}

function cancelRoute(deps: CancelDeps, paymentType: string, rules: PaymentTypeRules): Route {
  return route({
    method: 'DELETE',
    path: `/payments/drafts/${paymentType}/:draftId/payment`,
    clause: ['§4.4', '§3.2', '§7'],
    summary: `Cancel the payment of a draft of a ${rules.title}`,
    description:
      'The bank decides. If the payment is not booked, it can never be booked, and the draft is `CREATED` again. If it is ' +
      'booked, the draft is `COMPLETED`: 409.',
    security: { kind: 'token', scope: 'PSP_PI' },
    ...draftOfPath(deps.store, { paymentType }),
    answers: { 204: { description: 'The payment is cancelled.' } },
    refusals: ['STATUS_INVALID'],
    handler: async ({ resource: draft }) => {
      await withdrawPayment(deps, draft);
      return { status: 204 };
    },
  });
}
