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
      summary: "Read the status of a payment's approval",
      description:
        'The payment may be a single payment, a standing order, one of its runs, or the payment of a draft.',
      security: { kind: 'token', scope: 'PSP_PI' },
      params: z.object({
        paymentId: uuid.meta({ description: 'The paymentId from the initiation or the approval.' }),
      }),
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
                .meta({ description: 'The redirectUrl of the initiation; empty after a deletion.' }),
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
