import type { Tx } from '@kontoport/database';
import { openApprovalRequest } from '../../domain/approval-request.model.ts';
import type { BasketState } from '../../domain/basket-state.model.ts';
import { type Basket, INITIATION_KEY_MS } from '../../domain/basket.model.ts';
import { type Draft, paymentOf } from '../../domain/draft.model.ts';
import { isLive, type StandingOrder } from '../../domain/standing-order.model.ts';
import { type RecordRow, recordsOf, RecordTable } from './record-table.ts';

/** Retention of finished records in production, in milliseconds since the last change. */
export interface Retention {
  /** Records that no user approved. */
  openMs: number;
  /** Payments and their approvals. */
  paymentMs: number;
}

/** The tables of payments, whose columns follow from the records. */
export interface Tables {
  drafts: RecordTable<Draft>;
  baskets: RecordTable<Basket>;
  standingOrders: RecordTable<StandingOrder>;
}

export function openTables({ openMs, paymentMs }: Retention): Tables {
  return {
    drafts: new RecordTable<Draft>('draft', (draft) => {
      const counted = isOpen(draft);
      const waits = draft.status === 'PENDING' || draft.status === 'AWAITING_APPROVAL';
      return {
        ...ownerOf(draft),
        id: draft.draftId,
        dueAt: draft.status === 'PENDING' ? paymentOf(draft).dueAt : undefined,
        lapsesAt: waits ? undefined : after(draft.updatedAt, counted ? openMs : paymentMs),
        counted,
      };
    }),
    baskets: new RecordTable<Basket>(
      'basket',
      (basket) => {
        const counted = basket.status !== 'APPROVED';
        const request = openApprovalRequest(basket);
        return {
          ...ownerOf(basket),
          id: basket.requestId,
          dueAt: request?.dueAt,
          lapsesAt: request ? undefined : after(basket.createdAt, counted ? openMs : paymentMs),
          counted,
        };
      },
      [{ name: 'initiation_key', type: 'text', of: ({ initiatedBy }) => initiatedBy?.key ?? null }],
    ),
    standingOrders: new RecordTable<StandingOrder>('standing_order', (order) => ({
      ...ownerOf(order),
      id: order.paymentId,
      dueAt: order.dueAt,
      lapsesAt: isLive(order) ? undefined : after(order.updatedAt, paymentMs),
      counted: isLive(order),
    })),
  };
}

/** The basket behind a link with its drafts or its standing order, locked until the end of the transaction: baskets before drafts before standing orders, as all writers lock. */
export async function lockBasketState(
  tx: Tx,
  { drafts, standingOrders }: Tables,
  { approvalId, now }: { approvalId: string; now: Date },
): Promise<BasketState | undefined> {
  const { rows } = await tx.query<RecordRow>({
    name: 'basket-lock-by-link',
    text: `SELECT content, version FROM basket
           WHERE approval_id = $1 AND (lapses_at IS NULL OR lapses_at > $2) FOR UPDATE`,
    values: [approvalId, now],
  });
  const [basket] = recordsOf<Basket>(rows);
  if (basket === undefined) return undefined;
  const { clientId, draftIds, requestId } = basket;
  const found = await drafts.lock(tx, { clientId, ids: draftIds, now });
  const [standingOrder] = await standingOrders.lock(tx, { clientId, ids: [requestId], now });
  return { basket, drafts: found, ...(standingOrder && { standingOrder }) };
}

/** Finds the client's basket with this id, under any consent; otherwise the one of the X-Request-Id. SQL: one of two indexes. */
export async function findTwin(
  tx: Tx,
  {
    clientId,
    requestId,
    initiationKey,
    now,
  }: { clientId: string; requestId: string; initiationKey?: string | undefined; now: Date },
): Promise<Basket | undefined> {
  const { rows } = await tx.query<RecordRow>({
    name: 'basket-find-twin',
    text: `SELECT content, version FROM basket
           WHERE client_id = $1 AND (id = $2 OR (initiation_key = $3 AND created_at > $4))
             AND (lapses_at IS NULL OR lapses_at > $5)
           ORDER BY id <> $2 LIMIT 1`,
    values: [clientId, requestId, initiationKey ?? null, new Date(now.getTime() - INITIATION_KEY_MS), now],
  });
  return recordsOf<Basket>(rows)[0];
}

/** Whether no user approved it; a payment that the bank rejected was approved. */
function isOpen({ status, payment }: Draft): boolean {
  if (status === 'PENDING' || status === 'COMPLETED') return false;
  return !(status === 'REJECTED' && payment !== undefined && payment.attempts > 0);
}

function ownerOf(record: Draft | Basket | StandingOrder) {
  const { clientId, consentId, organizationIdentifier: organization, createdAt } = record;
  return { clientId, consentId, organization, createdAt };
}

const HOUR_MS = 3_600_000;

/** Up to the whole hour: most changes leave the column as it is, and with it the indexes. */
function after(changed: Date, retentionMs: number): Date {
  return new Date(Math.ceil((changed.getTime() + retentionMs) / HOUR_MS) * HOUR_MS);
}
