import type { ApprovalRequest } from './basket.model.ts';

/** Asks the bank's user to approve a basket; the one place that knows how (DESIGN §2). */
export type AuthenticateUser = (approval: ApprovalRequest & { clientId: string }) => Promise<'APPROVED'>;

/** The sandbox's user, who approves everything at once (specification, Sandbox differences). */
export const approveAutomatically: AuthenticateUser = async () => 'APPROVED';
