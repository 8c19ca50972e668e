import { route, type Route } from '@kontoport/gate';
import { pageOfList, readCursor, uuid } from '@kontoport/http';
import { z } from 'zod';
import { isDeleted, makeSinglePayment, unknownPayment } from '../domain/initiations/single-payment.model.ts';
import type { Owner } from '../domain/owner.model.ts';
import type { PaymentTypeRules, PaymentTypes } from '../domain/payment-types/payment-type.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import type { InitiateDeps } from '../initiations/initiate.ts';
import { initiationRoute } from '../initiations/initiation.routes.ts';
import { type DeleteDeps, deleteSinglePayment } from './delete-single-payment.ts';
import {
  singlePaymentAnswer,
  singlePaymentExample,
  singlePaymentFields,
  singlePaymentsAnswer,
  singlePaymentsToWire,
  singlePaymentToWire,
} from './single-payment.wire.ts';

const security = { kind: 'token', scope: 'PSP_PI' } as const;

type SingleDeps = InitiateDeps & DeleteDeps & { userUrl: string };

/** Single payments, for each payment type (§4.5). */
export function singlePaymentRoutes(deps: SingleDeps & { paymentTypes: PaymentTypes }): Route[] {
  return Object.entries(deps.paymentTypes).flatMap(([paymentType, rules]) => {
    const answer = singlePaymentAnswer(paymentType, rules);
    return [
      initiateRoute(deps, paymentType, rules),
      listRoute(deps, paymentType, { rules, answer }),
      readRoute(deps, paymentType, { rules, answer }),
      deleteRoute(deps, paymentType, rules),
    ];
  });
}

function initiateRoute(deps: SingleDeps, paymentType: string, rules: PaymentTypeRules): Route {
  const { redirectUrl, message } = singlePaymentExample(paymentType, rules);
  return initiationRoute(deps, {
    kind: 'single payment',
    path: `/payments/${paymentType}`,
    paymentType,
    rules,
    more: singlePaymentFields,
    example: { redirectUrl, message },
    summary: `Initiate a ${rules.title}`,
    description:
      'The payment is complete and is approved in the same call. The same `X-Request-Id` with the same body is the same payment, for 24 ' +
      'hours; with another body it is refused. Without it each call is a separate payment.',
    refusals: ['IDEMPOTENCY_CONFLICT', 'RATE_LIMITED'],
    make: (initiated, request, { executionDate }) => ({
      drafts: [makeSinglePayment(initiated, { ...request, executionDate })],
    }),
  });
}

/** A payment type and the wire format of its payments. */
interface Answered {
  rules: PaymentTypeRules;
  answer: ReturnType<typeof singlePaymentAnswer>;
}

function listRoute({ store }: SingleDeps, paymentType: string, { rules, answer }: Answered): Route {
  return route({
    method: 'GET',
    path: `/payments/${paymentType}`,
    clause: ['§4.5', '§3.3'],
    summary: `List single payments: each a ${rules.title}`,
    description:
      'Newest first, in pages, as long as they are kept. The list has no deleted payments and no payments of drafts or standing orders.',
    security,
    query: z.strictObject(pageOfList('payments')),
    answers: {
      200: {
        description: 'A page of the single payments of the client.',
        json: singlePaymentsAnswer(paymentType, answer),
        example: { payments: [singlePaymentExample(paymentType, rules)] },
      },
    },
    refusals: ['CURSOR_INVALID'],
    handler: async ({ principal: { token }, query: { limit, cursor }, now, language }) => {
      const { clientId, consentId } = token;
      const position = readCursor(cursor);
      const after = position && { createdAt: position.at, paymentId: position.id };
      const listing = { clientId, consentId, paymentType, after, limit: limit + 1, now };
      const found = await store.listSinglePayments(listing);
      const page = { isMore: found.length > limit, language };
      return { status: 200, json: singlePaymentsToWire(found.slice(0, limit), page), language };
    },
  });
}

function readRoute({ store }: SingleDeps, paymentType: string, { rules, answer }: Answered): Route {
  return route({
    method: 'GET',
    path: `/payments/${paymentType}/:paymentId`,
    clause: ['§4.5', '§3.3'],
    summary: `Read a ${rules.title}`,
    security,
    ...paymentOfPath(store, paymentType),
    answers: {
      200: {
        description: 'The payment.',
        json: answer,
        example: singlePaymentExample(paymentType, rules),
      },
    },
    handler: async ({ resource: payment, language }) => ({
      status: 200,
      json: singlePaymentToWire(payment, language),
      language,
    }),
  });
}

function deleteRoute(deps: SingleDeps, paymentType: string, rules: PaymentTypeRules): Route {
  return route({
    method: 'DELETE',
    path: `/payments/${paymentType}/:paymentId`,
    clause: ['§4.5', '§3.3', '§7'],
    summary: `Delete a ${rules.title}`,
    description:
      'A payment that is not booked is deleted and can never be booked. A booked payment stays: 409.',
    security,
    ...paymentOfPath(deps.store, paymentType),
    answers: { 204: { description: 'The payment is deleted.' } },
    refusals: ['STATUS_INVALID'],
    handler: async ({ resource: payment, now }) => {
      await deleteSinglePayment(deps, payment, now);
      return { status: 204 };
    },
  });
}

/** The single payment of the path, which must be the token's own and of the path's payment type. */
function paymentOfPath(store: PaymentStore, paymentType: string) {
  return {
    params: z.object({
      paymentId: uuid.meta({ description: 'The paymentId from the answer to its initiation.' }),
    }),
    unknown: unknownPayment,
    resource: async (request: { principal: { token: Owner }; params: { paymentId: string }; now: Date }) => {
      const { clientId, consentId } = request.principal.token;
      const { params, now } = request;
      const found = await store.findDraft({ clientId, consentId, draftId: params.paymentId, now });
      if (found?.kind !== 'single' || found.paymentType !== paymentType || isDeleted(found))
        throw unknownPayment();
      return found;
    },
  };
}
