import { ApiError } from '@kontoport/errors';
import { route, type Route } from '@kontoport/gate';
import { uuidOr404 } from '../drafts/draft.wire.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { TEXTS } from '../texts.ts';
import { approveBasket } from './approve-basket.ts';
import { basketEntries } from './basket.model.ts';
import { approvalToWire, approveBody, basketToWire } from './basket.wire.ts';

const security = { kind: 'token', scope: 'PSP_PI' } as const;

/** Signing baskets (§4.4). */
export function basketRoutes(
  deps: Parameters<typeof approveBasket>[0] & { store: PaymentStore; userUrl: string },
): Route[] {
  return [
    route({
      method: 'POST',
      path: '/payments/drafts/approve',
      security,
      body: { json: approveBody },
      handler: async ({ proven: { client }, body: request, now, signal }) => {
        const basket = await approveBasket(deps, { client, request, now, signal });
        return { status: 200, json: approvalToWire(basket, deps.userUrl) };
      },
    }),
    route({
      method: 'GET',
      path: '/payments/drafts/approve/:requestId/status',
      security,
      handler: async ({ proven: { client }, params, now }) => {
        const { clientId } = client;
        const basket = await deps.store.findBasket({
          clientId,
          requestId: uuidOr404(params.requestId),
          now,
        });
        if (basket === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-basket'));
        const drafts = await deps.store.findDrafts({ clientId, draftIds: basket.draftIds, now });
        return { status: 200, json: basketToWire(basket, basketEntries(basket, drafts)) };
      },
    }),
  ];
}
