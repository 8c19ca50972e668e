import type { Tally } from '@kontoport/runtime';
import type { Basket } from '../baskets/basket.model.ts';
import type { Draft } from '../drafts/draft.model.ts';

/** Who asks for what is kept (ADR 40). */
export interface Owner {
  clientId: string;
  /** Of a token that a user authorized: what was made under this consent alone. Absent: all of the client. */
  consentId?: string | undefined;
}

/** Names a draft: ids are chosen by the clients, so they mean something only together with the client. */
export interface DraftKey extends Owner {
  draftId: string;
  now: Date;
}

/** Names a basket in the same way. */
export interface BasketKey extends Owner {
  requestId: string;
  now: Date;
}

/** How many payments are taken, and how many of one organization. */
export interface DueClaim {
  now: Date;
  limit: number;
  /** In the hands of the caller at a time, those of `inHand` included. */
  limitOfOrganization: number;
  /** What the caller has in its hands already, by organizationIdentifier. */
  inHand: Pick<Tally, 'of'>;
  leaseMs: number;
}

/**
 * Where drafts, payments and signing baskets are kept. Every call names the owner of what it touches, and is
 * atomic; the functions given to it are pure, are called with the present state, and may be called again.
 * `test/payment-store.conformance.ts` is what an implementation must fulfil.
 */
export interface PaymentStore {
  /**
   * Keeps a new draft; `taken` when its client has one with that id, under whatever consent.
   * @throws ApiError RATE_LIMITED when the client, or its organization, keeps too much already
   */
  createDraft(draft: Draft): Promise<'created' | 'taken'>;

  findDraft(key: DraftKey): Promise<Draft | undefined>;

  /** The drafts of the list that exist, in any order. */
  findDrafts(keys: Owner & { draftIds: readonly string[]; now: Date }): Promise<Draft[]>;

  /**
   * Replaces the draft by `change(draft)`; whatever `change` throws leaves it as it was.
   * Undefined when there is no such draft.
   */
  updateDraft(key: DraftKey & { change: (draft: Draft) => Draft }): Promise<Draft | undefined>;

  /**
   * Keeps the basket that `decide` makes of its drafts, and the drafts as `decide` changed them: all or nothing.
   * Where the basket exists already it is handed back and `decide` is not asked; so of concurrent twins one decides.
   * Undefined when its id is taken by a basket that was made under another consent.
   * @param approval.decide gets those of `draftIds` that exist, by id
   * @throws what `decide` throws; ApiError RATE_LIMITED when the client, or its organization, keeps too much already
   */
  createBasket(
    approval: BasketKey & {
      organizationIdentifier: string;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => { basket: Basket; drafts: readonly Draft[] };
    },
  ): Promise<Basket | undefined>;

  findBasket(key: BasketKey): Promise<Basket | undefined>;

  /** The basket that made the payment, also when the payment was cancelled since. */
  findBasketByPaymentId(key: Owner & { paymentId: string; now: Date }): Promise<Basket | undefined>;

  /** The basket behind an approval link, which itself is the proof of access. */
  findBasketByApprovalId(key: { approvalId: string; now: Date }): Promise<Basket | undefined>;

  /**
   * Takes payments that are due and begins their posting; each goes to one caller per `leaseMs`. It goes round by
   * organization, and takes those of one in the order in which they are due.
   */
  claimDue(claim: DueClaim): Promise<Draft[]>;

  /** Forgets what a deleted client kept, but for payments that its users approved and that are not settled yet. */
  dropClient(clientId: string): Promise<void>;
}

/** Whether what was made under a consent, or under none, is the owner's: all of the client's is its own. */
export function isOwn(made: { readonly consentId?: string }, { consentId }: Owner): boolean {
  return consentId === undefined || made.consentId === consentId;
}
