import { rule } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import {
  type Basket,
  BASKET_STATUSES,
  type BasketEntry,
  type BasketRequest,
} from '../domain/basket.model.ts';
import { DRAFT_STATUSES } from '../domain/draft-status.model.ts';
import { TEXTS } from '../domain/texts.ts';

const MAX_DRAFTS = 100;

/** The URL to which the user returns. It is sent in a Location header: nothing that URL parsers repair or drop (RFC 3986 knows neither). */
export const redirectUrl = z
  .string()
  .max(2_000)
  .regex(/^[!-[\]-~]+$/, rule(TEXTS('not-url')))
  .meta({
    description: 'The URL to which the user returns: a registered redirect URI, with any query.',
  });

/** Body of `POST /payments/drafts/approve` (§4.4). */
export const approveBody: z.ZodType<BasketRequest> = z.strictObject({
  requestId: uuid.meta({ description: 'Chosen by the caller. The same id again is the same approval.' }),
  draftIds: z
    .array(uuid)
    .min(1)
    .max(MAX_DRAFTS)
    .refine((ids) => new Set(ids).size === ids.length, rule(TEXTS('draft-twice')))
    .meta({ uniqueItems: true, description: 'Drafts that are valid and `CREATED`, each once.' }),
  redirectUrl,
});

export const approveBodyExample: BasketRequest = {
  requestId: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
  draftIds: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  redirectUrl: 'https://app.fjordbudget.example/callback?payment=1',
};

const status = z.enum(BASKET_STATUSES).meta({ description: 'The status of the approval.' });

export const approvalAnswer = z
  .object({
    status,
    authUrl: z.string().meta({ format: 'uri', description: 'The URL to which the user is sent.' }),
  })
  .meta({ id: 'BasketApproval' });

export const approvalExample: z.input<typeof approvalAnswer> = {
  status: 'APPROVED',
  authUrl: 'https://user.bank.example/approvals/3q2-7wQf0vQxJ4n2bQ0oJ1l5rY8tV6uW9zA7cD1eF2g',
};

export const basketAnswer = z
  .object({
    status,
    drafts: z
      .array(
        z.object({
          draftId: z.guid().meta({ description: 'The draft.' }),
          status: z.enum(DRAFT_STATUSES).meta({ description: 'Its present status (§3.2).' }),
          paymentId: z.guid().optional().meta({ description: 'Absent if the payment was cancelled.' }),
        }),
      )
      .meta({ description: 'The drafts of the basket.' }),
  })
  .meta({ id: 'Basket', description: 'A signing basket (§2.10).' });

export const basketExample: z.input<typeof basketAnswer> = {
  status: 'APPROVED',
  drafts: [
    {
      draftId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      status: 'COMPLETED',
      paymentId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    },
  ],
};

/** Answer to an approval: `authUrl` is the page for the user's browser (§4.4). */
export function approvalToWire(basket: Basket, userUrl: string): z.input<typeof approvalAnswer> {
  return { status: basket.status, authUrl: `${userUrl}/approvals/${basket.approvalId}` };
}

/** Answer to a question for the status (§4.4). */
export function basketToWire(basket: Basket, drafts: BasketEntry[]): z.input<typeof basketAnswer> {
  return { status: basket.status, drafts };
}
