import type { Language } from '@kontoport/errors';
import type { ApprovalSummary } from '../approval-summary.model.ts';
import type { BeginAuthentication } from '../basket.model.ts';

/** What a user has said yes to on the page, for the bank to authenticate. */
export interface AuthenticationRequest {
  /** The unguessable id of the approval; the same one again is the same authentication. */
  approvalId: string;
  /** UUID of the user whose accounts pay. */
  userId: string;
  /** SHA-256 of `summary`, base64url: an authentication is for these amounts and payees alone (dynamic linking). */
  digest: string;
  summary: ApprovalSummary;
  /** Display name of the client that asks. */
  clientName: string;
  /** Of the page. */
  language: Language;
  /** When nobody waits any longer. */
  expiresAt: Date;
}

/** How an authentication stands. */
export interface Authentication {
  /** `pending` is to be asked again later; the others are final. */
  status: 'approved' | 'declined' | 'failed' | 'pending';
  /** While it is pending: where the user can answer in a browser, https; absent: in the bank's app alone. */
  approvalUrl?: string;
}

/** Asks the bank's user to approve payments (§3.2); the one place that knows how. */
export interface StrongCustomerAuthentication {
  /** Whether an approval stands at once, or waits for its user. */
  begin: BeginAuthentication;

  /**
   * Begins the authentication, or tells how it stands. Repeated with the same `approvalId` it asks the user once.
   * @throws ApiError UNAVAILABLE: no answer, to be asked again; any other: it cannot succeed any more
   */
  authenticate(order: AuthenticationRequest): Promise<Authentication>;
}

/** The sandbox's user, who approves everything at once (§Sandbox). */
export const approveAutomatically: StrongCustomerAuthentication = {
  begin: async () => 'APPROVED',
  authenticate: async () => ({ status: 'approved' }),
};
