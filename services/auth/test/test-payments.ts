import { randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '@kontoport/errors';
import { startGrpcServer, unary } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import {
  type ApprovalPayment,
  ApprovalsServiceService,
  type DecideRequest,
  type DecideResponse,
  type GetApprovalRequest,
  GetApprovalResponse,
} from '@kontoport/proto/payments/v1';
import { said } from '@kontoport/testing/said';
import { REDIRECT } from './browser.ts';

/** An approval in payments. */
export interface KeptApproval {
  approvalId: string;
  /** The user who must answer. */
  userId: string;
  /** The approval in the form for that user. */
  shown: GetApprovalResponse;
}

/** Payments for auth: a gRPC server that answers from a table and records its calls. */
export interface TestPayments {
  address: string;
  kept: Map<string, KeptApproval>;
  /** All GetApproval calls. */
  asked: GetApprovalRequest[];
  /** All Decide calls. */
  decided: DecideRequest[];
  /** Called with each answer, to set the state; undefined: the answer is final at once. */
  onDecision: ((approval: KeptApproval, request: DecideRequest) => void) | undefined;
  close(): Promise<void>;
}

export async function startTestPayments(): Promise<TestPayments> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const find = ({ approvalId, userId }: GetApprovalRequest): KeptApproval => {
    const approval = payments.kept.get(approvalId);
    if (!approval || (userId !== '' && userId !== approval.userId))
      throw new ApiError('RESOURCE_UNKNOWN', said('There is no such approval.'));
    return approval;
  };
  const implementation = {
    getApproval: unary<GetApprovalRequest, GetApprovalResponse>(logger, async (request) => {
      payments.asked.push(request);
      const { shown } = find(request);
      return request.userId === '' ? { ...shown, content: undefined, approvalUrl: '' } : shown;
    }),
    decide: unary<DecideRequest, DecideResponse>(logger, async (request) => {
      payments.decided.push(request);
      const approval = find(request);
      if (payments.onDecision) payments.onDecision(approval, request);
      else end(approval, request.decision === 'approve' ? 'APPROVED' : 'REJECTED');
      return { standing: approval.shown.standing };
    }),
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    rpcs: [{ definition: ApprovalsServiceService, implementation }],
  });
  const payments: TestPayments = {
    address: `127.0.0.1:${server.port}`,
    kept: new Map(),
    asked: [],
    decided: [],
    onDecision: undefined,
    close: () => server.close(),
  };
  return payments;
}

/** A payment of a user of the tests. */
export const PAYMENT: ApprovalPayment = {
  senderAccountId: '2f1d0f0a-6c1e-4c1b-9a52-0d5c3f6f7b10',
  senderBban: '53010000123456',
  senderOwnerName: 'Freja Lindholm',
  payeeName: 'Havnens Boligforening',
  payeeNumberType: 'BBAN',
  payeeNumber: '00400440116243',
  reference: 'Rent for December',
  amount: { value: '8250.00', currency: 'DKK' },
  executionDate: '',
  schedule: undefined,
  warnings: [],
};

/** Adds an approval that waits for `userId`. */
export function keepApproval(
  payments: TestPayments,
  asked: {
    clientId: string;
    userId: string;
    payments?: ApprovalPayment[];
    sums?: { value: string; currency: string }[];
    expiresAt?: Date;
    redirectUrl?: string;
  },
): KeptApproval {
  const approvalId = randomBytes(32).toString('base64url');
  const {
    clientId,
    userId,
    payments: paid = [PAYMENT],
    sums = [{ value: '8250.00', currency: 'DKK' }],
  } = asked;
  const { expiresAt = new Date(Date.now() + 15 * 60_000), redirectUrl = REDIRECT } = asked;
  const shown = GetApprovalResponse.fromPartial({
    clientId,
    standing: { status: 'AWAITING_APPROVAL', isAnswered: false, returnUrl: redirectUrl },
    isAsked: true,
    expiresAt,
    content: { digest: randomBytes(32).toString('base64url'), payments: paid, sums },
  });
  const approval = { approvalId, userId, shown };
  payments.kept.set(approvalId, approval);
  return approval;
}

/** Adds an approval without a question to its user, as in the sandbox. */
export function keepApproved(
  payments: TestPayments,
  { clientId, redirectUrl }: { clientId: string; redirectUrl: string },
): KeptApproval {
  const approval = keepApproval(payments, { clientId, userId: randomUUID(), redirectUrl });
  end(approval, 'APPROVED');
  approval.shown.isAsked = false;
  return approval;
}

/** Ends an approval, by an answer or by time. */
export function end({ shown }: KeptApproval, status: 'APPROVED' | 'REJECTED' | 'EXPIRED'): void {
  const { returnUrl } = shown.standing!;
  const error = { APPROVED: '', REJECTED: 'error=access_denied', EXPIRED: 'error=expired' }[status];
  const separator = returnUrl.includes('?') ? '&' : '?';
  shown.standing = {
    status,
    isAnswered: false,
    returnUrl: error === '' ? returnUrl : `${returnUrl}${separator}${error}`,
  };
  shown.content = undefined;
}
