import { randomUUID } from 'node:crypto';
import { outboxEvent, type OutboxEvent } from '@kontoport/events';
import type { DraftStatus } from './draft-status.model.ts';
import type { Draft } from './draft.model.ts';

/** The status of a payment in its events. A cancelled one stays cancelled, although its draft may be approved again. */
type TransferStatus = Exclude<DraftStatus, 'CREATED'> | 'CANCELLED';

interface Transfer {
  paymentId: string;
  status: TransferStatus;
}

/**
 * Transfer events of a change for the paying client (§6): a new payment, and each new status. The store writes them with the draft.
 * @param before the stored draft; undefined for a new one
 */
export function transferEvents(before: Draft | undefined, after: Draft): OutboxEvent[] {
  const was = before && transferOf(before);
  const is = transferOf(after);
  const events: OutboxEvent[] = [];
  if (was !== undefined && was.paymentId !== is?.paymentId)
    events.push(
      event('Transfer.StatusChangedV1', { draft: before!, transfer: { ...was, status: 'CANCELLED' }, after }),
    );
  if (is === undefined) return events;
  if (was?.paymentId !== is.paymentId)
    events.push(event('Transfer.CreatedV1', { draft: after, transfer: is, after }));
  else if (was.status !== is.status)
    events.push(event('Transfer.StatusChangedV1', { draft: after, transfer: is, after }));
  return events;
}

/** The payment of a draft, if it has one: a draft from its approval on, others have their id from the beginning. */
function transferOf({ kind, draftId, status, payment }: Draft): Transfer | undefined {
  const paymentId = payment?.paymentId ?? (kind === 'draft' ? undefined : draftId);
  if (paymentId === undefined || status === 'CREATED') return undefined;
  return { paymentId, status };
}

function event(
  type: 'Transfer.CreatedV1' | 'Transfer.StatusChangedV1',
  { draft, transfer, after }: { draft: Draft; transfer: Transfer; after: Draft },
): OutboxEvent {
  const { kind, clientId, paymentType, senderAccount, fields, draftId } = draft;
  return outboxEvent(type, {
    eventId: randomUUID(),
    eventTime: after.updatedAt.toISOString(),
    audience: [clientId],
    paymentId: transfer.paymentId,
    // An approved payment has an account.
    accountId: senderAccount?.accountId ?? fields.senderAccountId!,
    paymentType,
    status: transfer.status,
    draftId: kind === 'draft' ? draftId : '',
  });
}
