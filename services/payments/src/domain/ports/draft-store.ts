import type { Draft } from '../draft.model.ts';
import type { Owner } from '../owner.model.ts';

/** Identifies a draft: clients choose the ids, so an id is unique within its client only. */
export interface DraftKey extends Owner {
  draftId: string;
  now: Date;
}

/** Stores drafts; the guarantees of `PaymentStore` apply. */
export interface DraftStore {
  /**
   * Stores a new draft; `taken` when its client has one with that id, under any consent.
   * @throws ApiError RATE_LIMITED when the client or its organization is over its quota
   */
  createDraft(draft: Draft): Promise<'created' | 'taken'>;

  findDraft(key: DraftKey): Promise<Draft | undefined>;

  /**
   * Replaces the draft by `change(draft)`. If `change` throws, the draft does not change.
   * Undefined when there is no such draft.
   */
  updateDraft(key: DraftKey & { change: (draft: Draft) => Draft }): Promise<Draft | undefined>;

  /** Deletes a draft unless `check` throws; its id is free afterwards. False when there is no such draft. */
  deleteDraft(key: DraftKey & { check: (draft: Draft) => void }): Promise<boolean>;
}
