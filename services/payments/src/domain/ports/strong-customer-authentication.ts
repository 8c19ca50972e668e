import type { Language } from '@kontoport/errors';
import type { ApprovalSummary } from '../approval-summary.model.ts';
import type { BeginAuthentication } from '../basket.model.ts';

/** A request to authenticate what a user approved on the page. */
export interface AuthenticationRequest {
  /** The unguessable id of the approval, and the idempotency key of the authentication. */
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
  /** When the approval expires. */
  expiresAt: Date;
}

/** Status of an authentication. */
export interface Authentication {
  /** `pending` is polled again later; the others are final. */
  status: 'approved' | 'declined' | 'failed' | 'expired' | 'pending';
  /** While it is pending: where the user can answer in a browser, https; absent: in the bank's app alone. */
  approvalUrl?: string;
}

/** Strong customer authentication: asks the bank's user to approve payments (§3.2). */
export interface StrongCustomerAuthentication {
  /** Decides whether an approval is complete at once or waits for its user. */
  begin: BeginAuthentication;

  /**
   * Starts the authentication or returns its status. Idempotent by `approvalId`: the user is asked once.
   * @throws ApiError UNAVAILABLE: no answer, poll again; any other: it can no longer succeed
   */
  authenticate(order: AuthenticationRequest): Promise<Authentication>;
}
