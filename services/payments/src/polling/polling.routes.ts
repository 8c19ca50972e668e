import { route, type Route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { BASKET_STATUSES } from '../domain/basket.model.ts';
import { unknownPayment } from '../domain/initiations/single-payment.model.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { findPollStatus } from './find-poll-status.ts';

/** The status of payments, for polling (§4.5). */
export function pollingRoutes({ store }: { store: PaymentStore }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/polling/:paymentId/status',
      clause: ['§4.5', '§3.3'],
      summary: 'Read how the approval of a payment stands',
      description: 'Of a single payment, a standing order, a run of one, or the payment of a draft.',
      security: { kind: 'token', scope: 'PSP_PI' },
      params: z.object({ paymentId: uuid.meta({ description: 'As it was told with the approval.' }) }),
      unknown: unknownPayment,
      resource: async ({ principal, params, now }) => {
        const { clientId, consentId } = principal.token;
        const status = await findPollStatus(store, { clientId, consentId, ...params, now });
        if (status === undefined) throw unknownPayment();
        return status;
      },
      answers: {
        200: {
          description: 'The status of the payment.',
          json: z
            .object({
              status: z.enum(BASKET_STATUSES).meta({ description: 'The status of the approval.' }),
              redirectUrl: z
                .string()
                .meta({ description: 'The one of the initiation; empty after a deletion.' }),
            })
            .meta({ id: 'PaymentPollStatus' }),
          example: {
            status: 'APPROVED',
            redirectUrl: 'https://app.fjordbudget.example/callback?payment=1',
          },
        },
      },
      handler: async ({ resource }) => ({ status: 200, json: { ...resource } }),
    }),
  ];
}
