/** Who asks for what is kept (ADR-0018). */
export interface Owner {
  clientId: string;
  /** Of a token that a user authorized: what was made under this consent alone. Absent: all of the client. */
  consentId?: string | undefined;
}

/** Whether what was made under a consent, or under none, is the owner's: all of the client's is its own. */
export function isOwn(made: { readonly consentId?: string }, { consentId }: Owner): boolean {
  return consentId === undefined || made.consentId === consentId;
}
