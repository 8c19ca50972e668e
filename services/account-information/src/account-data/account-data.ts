import type { Caller, PresentCaller } from '../consents/caller.model.ts';

/** Where the accounts of a client come from; the environment chooses one at start-up. */
export interface AccountData {
  /** Sees to it that what the client may use is there. No read takes a caller that did not come through here. */
  ensure(caller: Caller): Promise<PresentCaller>;
}
