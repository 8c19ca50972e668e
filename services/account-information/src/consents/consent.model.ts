/** A live consent of a client. */
export interface Consent {
  id: string;
  userId: string;
  accountIds: string[];
  grantedAt: Date;
  /** Absent: until it is revoked. */
  validUntil: Date | undefined;
}
