import { route, type Route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { makeStandingOrder } from '../domain/initiations/standing-order-request.model.ts';
import type { Owner } from '../domain/owner.model.ts';
import { PAYMENT_TYPES } from '../domain/payment-types/payment-types.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { deleteStandingOrder, unknownStandingOrder } from '../domain/standing-order.model.ts';
import type { InitiateDeps } from '../initiations/initiate.ts';
import { initiationRoute } from '../initiations/initiation.routes.ts';
import { initiationExample } from '../initiations/initiation.wire.ts';
import { withdrawApprovalRequest } from '../store/with-lazy-expiry.ts';
import {
  scheduleFields,
  scheduleOf,
  standingOrderAnswer,
  standingOrderExample,
  standingOrderToWire,
} from './standing-order.wire.ts';

const security = { kind: 'token', scope: 'PSP_PI' } as const;
const PATH = '/payments/standing-orders';

/** The payment type of each run (ADR-0025). A giro payment pays one invoice, and must not repeat. */
const PAYMENT_TYPE = 'domestic-credit-transfer';
const rules = PAYMENT_TYPES[PAYMENT_TYPE];

const answer = standingOrderAnswer(rules);
const example = {
  paymentId: initiationExample.paymentId,
  paymentType: PAYMENT_TYPE,
  status: 'ACTIVE',
  ...rules.example,
  ...standingOrderExample,
  nextExecutionDate: '2026-12-01',
  createdAt: '2026-11-21T12:00:00.000Z',
  updatedAt: '2026-11-21T12:00:00.000Z',
};

type OrderDeps = InitiateDeps & { userUrl: string };

/** Standing orders (§4.5). */
export function standingOrderRoutes(deps: OrderDeps): Route[] {
  return [initiateRoute(deps), listRoute(deps), readRoute(deps), deleteRoute(deps)];
}

const initiateRoute = (deps: OrderDeps): Route =>
  initiationRoute(deps, {
    kind: 'standing order',
    path: PATH,
    paymentType: PAYMENT_TYPE,
    rules,
    more: scheduleFields,
    example: standingOrderExample,
    summary: 'Set up a standing order',
    description:
      "A domestic credit transfer that is repeated by the rules of NextGenPSD2's periodic payments. The same `X-Request-Id` " +
      'with the same body is the same standing order, for 24 hours; with another body it is refused.',
    refusals: ['IDEMPOTENCY_CONFLICT', 'STATUS_INVALID', 'RATE_LIMITED'],
    make: (initiated, request, body) => ({
      drafts: [],
      standingOrder: makeStandingOrder(initiated, { ...request, schedule: scheduleOf(body) }),
    }),
  });

function listRoute({ store }: OrderDeps): Route {
  return route({
    method: 'GET',
    path: PATH,
    clause: ['§4.5', '§3.3'],
    summary: 'List standing orders',
    description:
      'The active ones in the order of their creation, at most 500, without deleted and ended ones.',
    security,
    answers: {
      200: {
        description: 'The standing orders of the client.',
        json: z
          .object({
            standingOrders: z.array(answer).meta({ description: 'The live standing orders of the client.' }),
          })
          .meta({ id: 'StandingOrders' }),
        example: { standingOrders: [example] },
      },
    },
    handler: async ({ principal: { token }, now, language }) => {
      const { clientId, consentId } = token;
      const orders = await store.listStandingOrders({ clientId, consentId, now });
      const standingOrders = orders.map((order) => standingOrderToWire(order, { language }));
      return { status: 200, json: { standingOrders }, language };
    },
  });
}

function readRoute({ store }: OrderDeps): Route {
  return route({
    method: 'GET',
    path: `${PATH}/:paymentId`,
    clause: ['§4.5', '§3.3'],
    summary: 'Read a standing order',
    security,
    ...orderOfPath(store),
    answers: { 200: { description: 'The standing order.', json: answer, example } },
    handler: async ({ resource: order, now, language }) => {
      const { clientId, lastRun: run } = order;
      const lastRun = run && (await store.findDraft({ clientId, draftId: run.paymentId, now }));
      return { status: 200, json: standingOrderToWire(order, { language, lastRun }), language };
    },
  });
}

function deleteRoute({ store }: OrderDeps): Route {
  return route({
    method: 'DELETE',
    path: `${PATH}/:paymentId`,
    clause: ['§4.5', '§3.3'],
    summary: 'Delete a standing order',
    description: 'No further run begins. A run that has begun is completed.',
    security,
    ...orderOfPath(store),
    answers: { 204: { description: 'The standing order is deleted.' } },
    handler: async ({ resource: { clientId, paymentId, status }, now }) => {
      if (status === 'AWAITING_APPROVAL')
        await withdrawApprovalRequest(store, { clientId, requestId: paymentId, now });
      const change = (order: Parameters<typeof deleteStandingOrder>[0]) => deleteStandingOrder(order, now);
      const deleted = await store.updateStandingOrder({ clientId, paymentId, now, change });
      if (deleted === undefined) throw unknownStandingOrder();
      return { status: 204 };
    },
  });
}

/** The standing order of the path, which must be the token's own. */
function orderOfPath(store: PaymentStore) {
  return {
    params: z.object({
      paymentId: uuid.meta({ description: 'The paymentId from the answer to its initiation.' }),
    }),
    unknown: unknownStandingOrder,
    resource: async (request: { principal: { token: Owner }; params: { paymentId: string }; now: Date }) => {
      const { clientId, consentId } = request.principal.token;
      const { params, now } = request;
      const order = await store.findStandingOrder({ clientId, consentId, ...params, now });
      if (order === undefined || order.deletedAt !== undefined) throw unknownStandingOrder();
      return order;
    },
  };
}
