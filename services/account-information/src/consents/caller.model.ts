/** On whose behalf accounts are read. */
export interface Caller {
  clientId: string;
  /** The one consent under which an authorization-code token acts; absent: all live consents of the client. */
  consentId?: string | undefined;
}

declare const present: unique symbol;

/** A caller whose accounts are there to be read: what `AccountData.ensure` returns, and every read asks for. */
export type PresentCaller = Caller & { readonly [present]: true };

/** Where the accounts of a caller come from; the environment chooses one at start-up. */
export interface AccountData {
  /** Sees to it that what the caller may use is there. No read takes a caller that did not come through here. */
  ensure(caller: Caller): Promise<PresentCaller>;
}
