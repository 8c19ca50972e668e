import { ApiError } from '@kontoport/errors';
import { askBank } from '@kontoport/grpc';
import {
  type ApprovedPayment,
  AuthenticationStatus,
  type StrongAuthenticationServiceClient,
} from '@kontoport/proto/bank/v1';
import type { SummarizedPayment } from '../domain/approval-summary.model.ts';
import type {
  Authentication,
  StrongCustomerAuthentication,
} from '../domain/ports/strong-customer-authentication.ts';
import { TEXTS } from '../domain/texts.ts';
import { accountOf } from './bank-connector.ts';

/** The bank asks its own users (StrongAuthenticationService of kontoport.bank.v1), for these amounts and payees alone. */
export function bankAuthentication(
  authentications: StrongAuthenticationServiceClient,
): StrongCustomerAuthentication {
  return {
    begin: () => ({ status: 'AWAITING_APPROVAL' }),
    async authenticate({ approvalId, userId, digest, summary, clientName, language, expiresAt }) {
      const answer = await askBank(authentications, authentications.authenticate, {
        authenticationId: approvalId,
        userId,
        digest: Buffer.from(digest, 'base64url'),
        clientName,
        payments: summary.payments.map(approvedPayment),
        expiresAt,
        language,
      });
      const status = STATUSES[answer.status];
      if (status === undefined) throw new ApiError('UNAVAILABLE', TEXTS('bank-unclear'));
      const approvalUrl = status === 'pending' ? approvalUrlOf(answer.approvalUrl) : undefined;
      return { status, ...(approvalUrl !== undefined && { approvalUrl }) };
    },
  };
}

const STATUSES: Partial<Record<AuthenticationStatus, Authentication['status']>> = {
  [AuthenticationStatus.AUTHENTICATION_STATUS_PENDING]: 'pending',
  [AuthenticationStatus.AUTHENTICATION_STATUS_APPROVED]: 'approved',
  [AuthenticationStatus.AUTHENTICATION_STATUS_DECLINED]: 'declined',
  [AuthenticationStatus.AUTHENTICATION_STATUS_FAILED]: 'failed',
  // The approval has expired here, too, or is about to.
  [AuthenticationStatus.AUTHENTICATION_STATUS_EXPIRED]: 'pending',
};

const LONGEST_URL = 2_000;

/** A page of the bank; an invalid one counts as none. */
function approvalUrlOf(given: string): string | undefined {
  const isPage = given.length <= LONGEST_URL && URL.canParse(given);
  return isPage && /^https?:$/.test(new URL(given).protocol) ? given : undefined;
}

function approvedPayment(payment: SummarizedPayment): ApprovedPayment {
  const { paymentId, sender, payee, amount, currency, reference, executionDate, schedule } = payment;
  return {
    paymentId,
    accountId: sender.accountId,
    amount: { value: amount, currency },
    creditor: { name: payee.name, account: accountOf(payee.numberType, payee.number) },
    reference,
    executionDate: executionDate ?? '',
    standingOrder: schedule && {
      startDate: schedule.startDate,
      endDate: schedule.endDate ?? '',
      frequency: schedule.frequency,
      dayOfExecution: schedule.dayOfExecution ?? 0,
      executionRule: schedule.executionRule,
    },
  };
}
