/** On whose behalf accounts are read. */
export interface Caller {
  clientId: string;
  /** The one consent under which an authorization-code token acts; absent: all live consents of the client. */
  consentId?: string | undefined;
}

declare const present: unique symbol;

/** A caller whose accounts are there to be read: what `AccountData.ensure` returns, and every read asks for. */
export type PresentCaller = Caller & { readonly [present]: true };
