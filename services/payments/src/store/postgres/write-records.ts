import type { Tx } from '@kontoport/database';
import { addToOutbox, type OutboxEvent } from '@kontoport/events';
import type { Basket } from '../../domain/basket.model.ts';
import { INITIATION_KEY_MS } from '../../domain/basket.model.ts';
import type { TableWrite } from './record-table.ts';

/** The changes of one decision, which is about one client. */
export interface RecordWrite {
  /** In the order in which all transactions lock rows: baskets, drafts, standing orders. */
  tables: readonly TableWrite[];
  /** The new basket, stored with its payments and its X-Request-Id. */
  basket?: Basket | undefined;
  events: readonly OutboxEvent[];
  now: Date;
}

/**
 * Writes a decision, as a part of the caller's transaction, which has locked what it changes. SQL (lock): events are written in
 * the transaction of their records.
 * @throws WriteConflict: the caller must roll back; also a database error 23505 when the key of the basket is another one's
 */
export async function writeRecords(tx: Tx, { tables, basket, events, now }: RecordWrite): Promise<void> {
  if (basket !== undefined) await releaseInitiationKey(tx, basket, now);
  for (const own of tables) await own.store(tx, now);
  if (basket !== undefined) await saveBasketPayments(tx, basket);
  if (events.length > 0) await addToOutbox(tx, ...events);
}

/** Releases the X-Request-Id from a basket whose 24 hours are over. */
async function releaseInitiationKey(tx: Tx, { clientId, initiatedBy }: Basket, now: Date): Promise<void> {
  if (initiatedBy?.key === undefined) return;
  await tx.query({
    name: 'basket-free-key',
    text: `UPDATE basket SET initiation_key = NULL
           WHERE client_id = $1 AND initiation_key = $2 AND (created_at <= $3 OR lapses_at <= $4)`,
    values: [clientId, initiatedBy.key, new Date(now.getTime() - INITIATION_KEY_MS), now],
  });
}

/** Stores the payments of the basket, replacing those of an expired basket with its id. */
async function saveBasketPayments(tx: Tx, { clientId, requestId, paymentIds }: Basket): Promise<void> {
  await tx.query({
    name: 'basket-drop-payments',
    text: 'DELETE FROM basket_payment WHERE client_id = $1 AND basket_id = $2',
    values: [clientId, requestId],
  });
  await tx.query({
    name: 'basket-keep-payments',
    text: `INSERT INTO basket_payment (payment_id, client_id, basket_id)
           SELECT payment_id, $2, $3 FROM unnest($1::uuid[]) AS payment_id`,
    values: [paymentIds, clientId, requestId],
  });
}
