import type { Draft } from '../draft.model.ts';
import type { Owner } from '../owner.model.ts';

/** Names a draft: ids are chosen by the clients, so they mean something only together with the client. */
export interface DraftKey extends Owner {
  draftId: string;
  now: Date;
}

/** Where drafts are kept; all of `PaymentStore` holds for it. */
export interface DraftStore {
  /**
   * Keeps a new draft; `taken` when its client has one with that id, under whatever consent.
   * @throws ApiError RATE_LIMITED when the client, or its organization, keeps too much already
   */
  createDraft(draft: Draft): Promise<'created' | 'taken'>;

  findDraft(key: DraftKey): Promise<Draft | undefined>;

  /**
   * Replaces the draft by `change(draft)`; whatever `change` throws leaves it as it was.
   * Undefined when there is no such draft.
   */
  updateDraft(
    key: DraftKey & { change: (draft: Draft) => Draft; seen?: Draft | undefined },
  ): Promise<Draft | undefined>;

  /** Forgets a draft, whose id is free then; whatever `check` throws leaves it. False when there is no such draft. */
  deleteDraft(key: DraftKey & { check: (draft: Draft) => void; seen?: Draft | undefined }): Promise<boolean>;
}
