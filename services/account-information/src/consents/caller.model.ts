/** On whose behalf accounts are read. */
export interface Caller {
  clientId: string;
  /** The one consent under which an authorization-code token acts; absent: all live consents of the client. */
  consentId?: string | undefined;
}
