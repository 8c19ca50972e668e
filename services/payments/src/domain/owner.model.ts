/** The caller that reads or changes records (ADR-0018). */
export interface Owner {
  clientId: string;
  /** The consent of the caller's token: only records made under it. Absent: all records of the client. */
  consentId?: string | undefined;
}

/** Whether a record of the client, made under a consent or none, belongs to the owner. */
export function isOwn(made: { readonly consentId?: string }, { consentId }: Owner): boolean {
  return consentId === undefined || made.consentId === consentId;
}
