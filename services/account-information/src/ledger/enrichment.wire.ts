import { rule } from '@kontoport/errors';
import { checkShape } from '@kontoport/http';
import type { EnrichRequest } from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import { ENRICHABLE, type Enrichment } from './enrichment.model.ts';
import {
  additionalInformation,
  card,
  exchangeRate,
  movement,
  named,
  names,
  party,
  recipientBban,
  text,
} from './entry.wire.ts';
import { LEDGER_TEXTS } from './texts.ts';

const enrichRequest = z
  .object({
    ...names,
    updateMask: z
      .array(z.enum(ENRICHABLE, rule(LEDGER_TEXTS('not-enrichable', { fields: ENRICHABLE.join(', ') }))))
      .min(1, rule(LEDGER_TEXTS('nothing-named')))
      .max(ENRICHABLE.length)
      .prefault([]),
    title: text(140),
    message: text(1_000),
    debtor: party.optional(),
    creditor: party.optional(),
    recipientBban,
    additionalInformation,
    card: card.optional(),
    transactionAmount: movement.optional(),
    exchangeRate,
  })
  .transform(named);

/** Reads an enrichment. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readEnrichment(
  request: EnrichRequest,
): Enrichment & { transactionId: string; accountId: string } {
  const { updateMask: fields, exchangeRate: rate, ...rest } = checkShape(enrichRequest, request, 'body');
  const { debtor, creditor, card: cardInfo, transactionAmount } = rest;
  return {
    ...rest,
    fields,
    debtor,
    creditor,
    card: cardInfo,
    transactionAmount,
    exchangeRate: rate === '' ? undefined : Number(rate),
  };
}
