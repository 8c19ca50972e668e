import { rule } from '@kontoport/errors';
import { z } from 'zod';
import { uuid } from '../drafts/draft.wire.ts';
import { TEXTS } from '../texts.ts';
import type { ApprovalRequest, Basket, BasketEntry } from './basket.model.ts';

const MAX_DRAFTS = 100;

/** Body of `POST /payments/drafts/approve` (§4.4). */
export const approveBody: z.ZodType<ApprovalRequest> = z.strictObject({
  requestId: uuid,
  draftIds: z
    .array(uuid)
    .min(1)
    .max(MAX_DRAFTS)
    .refine((ids) => new Set(ids).size === ids.length, rule(TEXTS('draft-twice'))),
  // It ends in a Location header: nothing that URL parsers repair or drop (RFC 3986 knows neither).
  redirectUrl: z
    .string()
    .max(2_000)
    .regex(/^[!-[\]-~]+$/, rule(TEXTS('not-url'))),
});

/** Answer to an approval: `authUrl` is where the user's browser goes. */
export function approvalToWire(basket: Basket, userUrl: string): { status: string; authUrl: string } {
  return { status: basket.status, authUrl: `${userUrl}/approvals/${basket.approvalId}` };
}

/** Answer to a question for the status. */
export function basketToWire(
  basket: Basket,
  drafts: readonly BasketEntry[],
): { status: string; drafts: readonly BasketEntry[] } {
  return { status: basket.status, drafts };
}
