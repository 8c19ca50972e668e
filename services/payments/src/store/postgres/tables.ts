import { askingOf } from '../../approvals/asking.model.ts';
import type { Basket } from '../../baskets/basket.model.ts';
import { type Draft, paymentOf } from '../../drafts/draft.model.ts';
import { isLive, type StandingOrder } from '../../standing-orders/standing-order.model.ts';
import { RecordTable } from './record-table.ts';

/** How long production keeps what nothing is to be done about any more, in milliseconds since its last change. */
export interface Retention {
  /** What no user approved. */
  openMs: number;
  /** Payments, and what approved them. */
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
    baskets: new RecordTable<Basket>('basket', (basket) => {
      const counted = basket.status !== 'APPROVED';
      const asking = askingOf(basket);
      return {
        ...ownerOf(basket),
        id: basket.requestId,
        dueAt: asking?.dueAt,
        lapsesAt: asking ? undefined : after(basket.createdAt, counted ? openMs : paymentMs),
        counted,
      };
    }),
    standingOrders: new RecordTable<StandingOrder>('standing_order', (order) => ({
      ...ownerOf(order),
      id: order.paymentId,
      dueAt: order.dueAt,
      lapsesAt: isLive(order) ? undefined : after(order.updatedAt, paymentMs),
      counted: isLive(order),
    })),
  };
}

/** Whether no user stands behind it; one that the bank refused had one. */
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
