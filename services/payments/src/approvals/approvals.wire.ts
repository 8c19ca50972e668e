import { LANGUAGES } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import type {
  ApprovalContent,
  ApprovalStanding,
  DecideRequest,
  GetApprovalRequest,
  GetApprovalResponse,
} from '@kontoport/proto/payments/v1';
import { z } from 'zod';
import {
  isAsked,
  openApprovalRequest,
  returnUrl,
  unknownApproval,
} from '../domain/approval-request.model.ts';
import type { ShownApproval } from '../domain/approval-summary.model.ts';
import type { Basket } from '../domain/basket.model.ts';
import { textOf } from '../domain/payment-types/payment-type.model.ts';

/** A longer id names no approval. */
const id = z.string().min(1).max(128);

const question = z.object({
  approvalId: id,
  userId: z
    .literal('')
    .transform(() => undefined)
    .or(uuid),
});
const decision = z.object({
  approvalId: id,
  userId: uuid,
  decision: z.enum(['approve', 'decline']),
  digest: id,
  language: z.enum(LANGUAGES),
});

/** @throws ApiError RESOURCE_UNKNOWN for a request that can name no approval. */
export function readQuestion(request: GetApprovalRequest): z.output<typeof question> {
  const read = question.safeParse(request);
  if (!read.success) throw unknownApproval();
  return read.data;
}

/** @throws ApiError RESOURCE_UNKNOWN for a request that can be no decision about one. */
export function readDecision(request: DecideRequest): z.output<typeof decision> {
  const read = decision.safeParse(request);
  if (!read.success) throw unknownApproval();
  return read.data;
}

/** Status of an approval, for its page. */
export function approvalStatusToWire(basket: Basket): ApprovalStanding {
  return {
    status: basket.status,
    isAnswered: openApprovalRequest(basket)?.answer !== undefined,
    returnUrl: returnUrl(basket),
  };
}

/** An approval, for its page. */
export function approvalToWire({ basket, content }: ShownApproval): GetApprovalResponse {
  const { clientId, approvalRequest } = basket;
  return {
    clientId,
    standing: approvalStatusToWire(basket),
    isAsked: isAsked(basket),
    expiresAt: approvalRequest?.expiresAt,
    content: content && contentToWire(content),
    approvalUrl: (content && approvalRequest?.approvalUrl) ?? '',
  };
}

function contentToWire({ summary, digest }: NonNullable<ShownApproval['content']>): ApprovalContent {
  return {
    digest,
    payments: summary.payments.map(({ sender, payee, reference, amount, currency, ...when }) => ({
      senderAccountId: sender.accountId,
      senderBban: sender.bban,
      senderOwnerName: sender.ownerName,
      payeeName: payee.name,
      payeeNumberType: payee.numberType,
      payeeNumber: payee.number,
      reference,
      amount: { value: amount, currency },
      executionDate: when.executionDate ?? '',
      schedule: when.schedule && {
        startDate: when.schedule.startDate,
        endDate: when.schedule.endDate ?? '',
        frequency: when.schedule.frequency,
      },
      warnings: when.warnings.map((warning) => {
        const text = textOf(warning);
        return { en: text.in('en'), da: text.in('da'), sv: text.in('sv'), nb: text.in('nb') };
      }),
    })),
    sums: summary.sums.map(({ amount, currency }) => ({ value: amount, currency })),
  };
}
