import type { Tx } from '@kontoport/database';
import type { Draft } from '../../domain/draft.model.ts';
import type { PaymentListing } from '../../domain/ports/payment-store.ts';
import { type RecordRow, recordsOf } from './record-table.ts';

const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * A page of the single payments of an owner, newest first (§4.5). SQL (measured): one index scan from where the page begins;
 * Prisma writes the comparison of two columns as an OR, which reads all that came before.
 */
export async function selectSinglePayments(tx: Tx, listing: PaymentListing): Promise<Draft[]> {
  const { clientId, consentId, paymentType, limit, now } = listing;
  const { createdAt, paymentId } = listing.after ?? { createdAt: 'infinity', paymentId: NO_ID };
  // Those of one consent have an index of their own: they may be few among many.
  const owner = consentId === undefined ? '$6::uuid IS NULL' : 'consent_id = $6';
  const { rows } = await tx.query<RecordRow>({
    name: `draft-list-${consentId === undefined ? 'client' : 'consent'}`,
    text: `SELECT content, version FROM draft
           WHERE client_id = $1 AND listed_as = $2 AND (created_at, id) < ($3::timestamptz, $4::uuid)
             AND (lapses_at IS NULL OR lapses_at > $5) AND ${owner}
           ORDER BY created_at DESC, id DESC LIMIT $7`,
    values: [clientId, paymentType, createdAt, paymentId, now, consentId ?? null, limit],
  });
  return recordsOf<Draft>(rows);
}
