import { ApiError } from '@kontoport/errors';
import { route, type Route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { basketEntries, type BeginAuthentication } from '../domain/basket.model.ts';
import type { FindAccount } from '../domain/payment-types/payment-type.model.ts';
import type { PaymentRules } from '../domain/payment-types/payment-type.model.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { BasketStore } from '../domain/ports/basket-store.ts';
import { TEXTS } from '../domain/texts.ts';
import { approveBasket } from './approve-basket.ts';
import {
  approvalAnswer,
  approvalExample,
  approvalToWire,
  approveBody,
  approveBodyExample,
  basketAnswer,
  basketExample,
  basketToWire,
} from './basket.wire.ts';

const security = { kind: 'token', scope: 'PSP_PI' } as const;

interface BasketDeps {
  store: BasketStore;
  paymentTypes: Readonly<Record<string, PaymentRules>>;
  findAccount: FindAccount;
  authentication: { begin: BeginAuthentication };
  bank: Pick<Bank, 'holdMs'>;
  approvalLifetimeMs: number;
  settlementDelayMs: number;
  bookingWaitMs: number;
  userUrl: string;
}

/** Signing baskets (§4.4). */
export function basketRoutes(deps: BasketDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/payments/drafts/approve',
      clause: ['§4.4', '§3.2', '§2.10'],
      summary: 'Approve drafts as a basket',
      description:
        'All drafts or none, once per `requestId`: the same body again gets the same answer. A basket may ' +
        'have drafts of several payment types; all sender accounts must be of one user. Giro payments are booked ' +
        'before the answer, unless the bank takes longer than 2 seconds.',
      security,
      body: { json: approveBody, example: approveBodyExample },
      answers: {
        200: {
          description: 'The basket, and the URL at which the user continues.',
          json: approvalAnswer,
          example: approvalExample,
        },
      },
      refusals: ['IDEMPOTENCY_CONFLICT', { code: 'STATUS_INVALID', status: 400 }, 'RATE_LIMITED'],
      handler: async ({ principal: { client, token }, body: request, now, signal }) => {
        const { consentId } = token;
        const basket = await approveBasket(deps, { client, consentId, request, now, signal });
        return { status: 200, json: approvalToWire(basket, deps.userUrl) };
      },
    }),
    route({
      method: 'GET',
      path: '/payments/drafts/approve/:requestId/status',
      clause: ['§4.4', '§2.10'],
      summary: 'Read the status of a basket and its drafts',
      security,
      params: z.object({
        requestId: uuid.meta({ description: 'The requestId of the approval.' }),
      }),
      unknown: unknownBasket,
      resource: async ({ principal, params: { requestId }, now }) => {
        const { clientId, consentId } = principal.token;
        const basket = await deps.store.findBasket({ clientId, consentId, requestId, now });
        if (basket === undefined || basket.initiatedBy !== undefined) throw unknownBasket();
        return basket;
      },
      answers: {
        200: { description: 'The basket.', json: basketAnswer, example: basketExample },
      },
      handler: async ({ resource: basket, now }) => {
        const { clientId, draftIds } = basket;
        const drafts = await deps.store.findDrafts({ clientId, draftIds, now });
        return { status: 200, json: basketToWire(basket, basketEntries(basket, drafts)) };
      },
    }),
  ];
}

function unknownBasket(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('no-basket'));
}
