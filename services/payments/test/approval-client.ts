import { until } from '@kontoport/embedded/wait';
import { call } from '@kontoport/grpc';
import type { GetApprovalResponse } from '@kontoport/proto/payments/v1';
import { adapters } from '../src/adapters.ts';
import type {
  Authentication,
  AuthenticationRequest,
  StrongCustomerAuthentication,
} from '../src/domain/ports/strong-customer-authentication.ts';
import type { Caller, RunningPayments } from './running-payments.ts';

type Heard = Authentication['status'] | Error;

/** The strong customer authentication of a test: users are asked, and the bank returns the configured answer. */
export class TestAuthentication implements StrongCustomerAuthentication {
  /** Every call to the bank. */
  readonly orders: AuthenticationRequest[] = [];
  /** The bank's answer until another is set; an error is thrown. */
  says: Heard = 'approved';
  /** The page at which users can answer, in the bank's answer. */
  approvalUrl: string | undefined;

  begin(): { status: 'AWAITING_APPROVAL' } {
    return { status: 'AWAITING_APPROVAL' };
  }

  async authenticate(order: AuthenticationRequest): Promise<Authentication> {
    this.orders.push(order);
    if (this.says instanceof Error) throw this.says;
    const { says: status, approvalUrl } = this;
    return { status, ...(approvalUrl !== undefined && { approvalUrl }) };
  }

  /** The number of calls to the bank about an approval. */
  countOf(approvalId: string): number {
    return this.orders.filter((order) => order.approvalId === approvalId).length;
  }
}

/** The sandbox's adapters, with users who are asked. */
export function withUserApproval(authentication: TestAuthentication): typeof adapters {
  const asking = { ...adapters.sandbox, strongCustomerAuthentication: () => authentication };
  return { sandbox: asking, production: asking };
}

/** An approval that waits for its user. */
export interface Asked {
  requestId: string;
  draftIds: string[];
  approvalId: string;
  /** The approval as the user sees it. */
  shown: GetApprovalResponse;
  digest: string;
}

/** Actions of a user and a TPP on approvals. */
export function approvalsOf(service: RunningPayments) {
  const { approvals } = service;
  const get = (approvalId: string, userId = ''): Promise<GetApprovalResponse> =>
    call(approvals, approvals.getApproval, { approvalId, userId });
  return {
    get,
    async decide(
      { approvalId, digest }: Pick<Asked, 'approvalId' | 'digest'>,
      said: { userId: string; decision: string; digest?: string; language?: string },
    ) {
      const { standing } = await call(approvals, approvals.decide, {
        approvalId,
        digest,
        language: 'da',
        ...said,
      });
      return standing!;
    },
    /** Asks the user for the approval of drafts. */
    async ask(
      tpp: Caller,
      draftIds: string[],
      { userId, redirectUrl }: { userId: string; redirectUrl: string },
    ): Promise<Asked> {
      const requestId = crypto.randomUUID();
      const { status, body } = await tpp.call('POST', '/payments/drafts/approve', {
        requestId,
        draftIds,
        redirectUrl,
      });
      if (status !== 200 || body.status !== 'AWAITING_APPROVAL')
        throw new Error(`not asked: ${status} ${JSON.stringify(body)}`);
      const approvalId = new URL(String(body.authUrl)).pathname.split('/').at(-1)!;
      const shown = await get(approvalId, userId);
      return { requestId, draftIds, approvalId, shown, digest: shown.content?.digest ?? 'lapsed' };
    },
    /** The basket and its drafts as the TPP reads them. */
    async told(tpp: Caller, { requestId }: Asked) {
      const { body } = await tpp.call('GET', `/payments/drafts/approve/${requestId}/status`);
      const drafts = body.drafts as { status: string }[];
      return { status: String(body.status), drafts: drafts.map(({ status }) => status) };
    },
    /** Waits until the TPP reads a status of the basket. */
    async reaches(tpp: Caller, asked: Asked, status: string): Promise<void> {
      await until(async () => (await this.told(tpp, asked)).status === status, {
        what: `the basket to be ${status}`,
      });
    },
  };
}
