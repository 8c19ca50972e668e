import { type Draft } from '../../domain/draft.model.ts';
import { isDeleted } from '../../domain/initiations/single-payment.model.ts';
import { isOwn } from '../../domain/owner.model.ts';
import { beginPosting } from '../../domain/payment.model.ts';
import type { DraftKey } from '../../domain/ports/draft-store.ts';
import { type DueClaim, type PaymentListing } from '../../domain/ports/payment-store.ts';
import { ExpiringCollection } from './expiring-collection.ts';
import { RoundRobinQueue } from './round-robin-queue.ts';

/** The drafts of all clients, with their payments; one that is PENDING does not lapse. */
export class MemoryDrafts {
  readonly collection: ExpiringCollection<Draft>;
  readonly #due = new RoundRobinQueue<{ clientId: string; draftId: string }>();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.collection = new ExpiringCollection({
      lapsesAt: (draft) => (isPending(draft) ? Infinity : draft.updatedAt.getTime() + lifetimeMs),
      entries: () => 1,
      organization: ({ organizationIdentifier }) => organizationIdentifier,
      forgotten: (draft) => this.#due.remove(draft.organizationIdentifier, keyOf(draft)),
    });
  }

  /** Payments that wait for their time. */
  get waiting(): number {
    return this.#due.size;
  }

  find({ clientId, consentId, draftId, now }: DraftKey): Draft | undefined {
    const draft = this.collection.find(clientId, draftId, now);
    return draft && isOwn(draft, { clientId, consentId }) ? draft : undefined;
  }

  findAll({ draftIds, ...owner }: Omit<DraftKey, 'draftId'> & { draftIds: readonly string[] }): Draft[] {
    return draftIds.flatMap((draftId) => this.find({ ...owner, draftId }) ?? []);
  }

  listSinglePayments({ paymentType, after, limit, now, ...owner }: PaymentListing): Draft[] {
    const end = after && { createdAt: after.createdAt, draftId: after.paymentId };
    return this.collection
      .itemsOf(owner.clientId, now)
      .filter(
        (draft) =>
          draft.kind === 'single' &&
          draft.paymentType === paymentType &&
          !isDeleted(draft) &&
          isOwn(draft, owner) &&
          (end === undefined || newestFirst(end, draft) < 0),
      )
      .toSorted(newestFirst)
      .slice(0, limit);
  }

  /** Stores the draft; its payment is claimed when it is due. */
  save(draft: Draft): void {
    const { clientId, draftId, organizationIdentifier, payment } = draft;
    this.collection.put(clientId, draftId, draft);
    if (!isPending(draft) || !payment) return;
    const at = payment.dueAt.getTime();
    this.#due.put(organizationIdentifier, { at, key: keyOf(draft), item: { clientId, draftId } });
  }

  remove({ clientId, draftId }: Pick<Draft, 'clientId' | 'draftId'>): void {
    this.collection.remove(clientId, draftId);
  }

  claimDue({ leaseMs, ...claim }: DueClaim): Draft[] {
    const { now } = claim;
    return this.#due.claim({
      ...claim,
      take: ({ item }) => {
        const draft = this.find({ ...item, now });
        if (draft === undefined) return undefined;
        const posting = beginPosting(draft, { now, leaseMs });
        this.save(posting);
        return posting;
      },
    });
  }

  /** Deletes the drafts of a client, except payments that are not settled. */
  drop(clientId: string): void {
    this.collection.drop(clientId, isPending);
  }
}

/** Neither part has a blank. */
function keyOf({ clientId, draftId }: Pick<Draft, 'clientId' | 'draftId'>): string {
  return `${clientId} ${draftId}`;
}

function isPending(draft: Draft): boolean {
  return draft.status === 'PENDING';
}

type Listed = Pick<Draft, 'createdAt' | 'draftId'>;

function newestFirst(one: Listed, other: Listed): number {
  const byTime = other.createdAt.getTime() - one.createdAt.getTime();
  if (byTime !== 0 || one.draftId === other.draftId) return byTime;
  return one.draftId < other.draftId ? 1 : -1;
}
