import { Tally } from '@kontoport/runtime';
import { beginPosting, type Draft } from '../../drafts/draft.model.ts';
import { type DraftKey, type DueClaim, isOwn } from '../payment-store.ts';
import { DueQueue } from './due-queue.ts';
import { Shelf } from './shelf.ts';

/** The drafts of all clients, with their payments; one that is PENDING does not lapse. */
export class MemoryDrafts {
  readonly shelf: Shelf<Draft>;
  /** By organization; whose turn comes next stands in front. */
  readonly #due = new Map<string, DueQueue<{ clientId: string; draftId: string }>>();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.shelf = new Shelf({
      lapsesAt: (draft) => (isPending(draft) ? Infinity : draft.updatedAt.getTime() + lifetimeMs),
      entries: () => 1,
      organization: ({ organizationIdentifier }) => organizationIdentifier,
    });
  }

  find({ clientId, consentId, draftId, now }: DraftKey): Draft | undefined {
    const draft = this.shelf.find(clientId, draftId, now);
    return draft && isOwn(draft, { clientId, consentId }) ? draft : undefined;
  }

  findAll({ draftIds, ...owner }: Omit<DraftKey, 'draftId'> & { draftIds: readonly string[] }): Draft[] {
    return draftIds.flatMap((draftId) => this.find({ ...owner, draftId }) ?? []);
  }

  /** Keeps the draft; its payment is handed out when it is due. */
  save(draft: Draft): void {
    const { clientId, draftId, organizationIdentifier, payment } = draft;
    this.shelf.put(clientId, draftId, draft);
    if (!isPending(draft) || !payment) return;
    const queue = this.#due.get(organizationIdentifier) ?? new DueQueue();
    this.#due.set(organizationIdentifier, queue);
    queue.add({ at: payment.dueAt.getTime(), item: { clientId, draftId } });
  }

  remove({ clientId, draftId }: Pick<Draft, 'clientId' | 'draftId'>): void {
    this.shelf.remove(clientId, draftId);
  }

  claimDue({ now, limit, limitOfOrganization, inHand, leaseMs }: DueClaim): Draft[] {
    const claimed: Draft[] = [];
    const taken = new Tally();
    for (let idle = 0; idle < this.#due.size && claimed.length < limit;) {
      const [organization, queue] = this.#due.entries().next().value!;
      const own = inHand.of(organization) + taken.of(organization);
      const draft = own < limitOfOrganization ? this.#takeDue(queue, now) : undefined;
      this.#due.delete(organization);
      if (queue.size > 0) this.#due.set(organization, queue);
      if (draft === undefined) {
        idle += queue.size > 0 ? 1 : 0;
        continue;
      }
      idle = 0;
      const posting = beginPosting(draft, { now, leaseMs });
      this.save(posting);
      claimed.push(posting);
      taken.add(organization, 1);
    }
    return claimed;
  }

  #takeDue(queue: DueQueue<{ clientId: string; draftId: string }>, now: Date): Draft | undefined {
    for (let entry = queue.take(now.getTime()); entry; entry = queue.take(now.getTime())) {
      const draft = this.find({ ...entry.item, now });
      // Others are entries of a payment that was cancelled, claimed or put off meanwhile.
      if (draft && isPending(draft) && draft.payment?.dueAt.getTime() === entry.at) return draft;
    }
    return undefined;
  }

  /** Forgets the drafts of a client, but for payments that are not settled. */
  drop(clientId: string): void {
    this.shelf.drop(clientId, isPending);
  }
}

function isPending(draft: Draft): boolean {
  return draft.status === 'PENDING';
}
