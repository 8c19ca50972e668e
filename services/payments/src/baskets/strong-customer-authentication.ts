import type { ApprovalRequest } from './basket.model.ts';

/** Asks the bank's user to approve a basket (§3.2); the one place that knows how. */
export type AuthenticateUser = (approval: ApprovalRequest & { clientId: string }) => Promise<'APPROVED'>;

/** The sandbox's user, who approves everything at once (§Sandbox). */
export const approveAutomatically: AuthenticateUser = async () => 'APPROVED';
