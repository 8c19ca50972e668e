import { beginPosting, type Draft } from '../../drafts/draft.model.ts';
import type { DraftKey } from '../payment-store.ts';
import { DueQueue } from './due-queue.ts';
import { Shelf } from './shelf.ts';

/** The drafts of all clients, with their payments; one that is PENDING does not lapse. */
export class MemoryDrafts {
  readonly shelf: Shelf<Draft>;
  readonly #due = new DueQueue<{ clientId: string; draftId: string }>();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.shelf = new Shelf({
      lapsesAt: (draft) => (isPending(draft) ? Infinity : draft.updatedAt.getTime() + lifetimeMs),
      entries: () => 1,
    });
  }

  find({ clientId, draftId, now }: DraftKey): Draft | undefined {
    return this.shelf.find(clientId, draftId, now);
  }

  findAll({ clientId, draftIds, now }: Omit<DraftKey, 'draftId'> & { draftIds: readonly string[] }): Draft[] {
    return draftIds.flatMap((draftId) => this.find({ clientId, draftId, now }) ?? []);
  }

  /** Keeps the draft; its payment is handed out when it is due. */
  save(draft: Draft): void {
    const { clientId, draftId, payment } = draft;
    this.shelf.put(clientId, draftId, draft);
    if (isPending(draft) && payment)
      this.#due.add({ at: payment.dueAt.getTime(), item: { clientId, draftId } });
  }

  claimDue({ now, limit, leaseMs }: { now: Date; limit: number; leaseMs: number }): Draft[] {
    const claimed: Draft[] = [];
    while (claimed.length < limit) {
      const entry = this.#due.take(now.getTime());
      if (entry === undefined) break;
      const draft = this.find({ ...entry.item, now });
      // An entry of a payment that was cancelled, claimed or put off meanwhile.
      if (!draft || !isPending(draft) || draft.payment?.dueAt.getTime() !== entry.at) continue;
      const posting = beginPosting(draft, { now, leaseMs });
      this.save(posting);
      claimed.push(posting);
    }
    return claimed;
  }

  /** Forgets the drafts of a client, but for payments that are not settled. */
  drop(clientId: string): void {
    this.shelf.drop(clientId, isPending);
  }
}

function isPending(draft: Draft): boolean {
  return draft.status === 'PENDING';
}
