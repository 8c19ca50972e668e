import { ApiError } from '@kontoport/errors';
import { beginApproval } from '../basket.model.ts';
import { bankingDayFrom } from '../calendar/banking-days.model.ts';
import { countryOf, todayOf } from '../calendar/country-time.model.ts';
import type { LocalDate } from '../calendar/local-date.model.ts';
import type { Draft } from '../draft.model.ts';
import {
  type InitiationRequest,
  notBefore,
  notInitiated,
  startFault,
  type ValidInitiation,
} from './initiation.model.ts';
import { INITIATION_TEXTS } from './texts.ts';

/** The input of a single payment (§4.5). */
export interface SinglePaymentRequest extends InitiationRequest {
  /** Absent: as soon as it is approved, on any day. */
  readonly executionDate?: LocalDate | undefined;
}

/** The same for a payment that does not exist, for another client's, and for a deleted one (§3.3, §4). */
export function unknownPayment(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', INITIATION_TEXTS('payment-unknown'));
}

/**
 * Whether it is a single payment that its client deleted: nothing else makes one CREATED (§3.3).
 */
export function isDeleted({ kind, status }: Pick<Draft, 'kind' | 'status'>): boolean {
  return kind === 'single' && status === 'CREATED';
}

/**
 * A single payment whose approval begins.
 * @throws ApiError FORMAT_ERROR for a day that is past, or too far ahead
 */
export function makeSinglePayment(initiated: ValidInitiation, request: SinglePaymentRequest): Draft {
  const { owner, paymentId, senderAccount, warnings, time, approval } = initiated;
  const { paymentType, fields, redirectUrl, name = '', message } = request;
  const executionDate = bankingDayOf(initiated, request);
  const draft: Draft = {
    kind: 'single',
    ...owner,
    draftId: paymentId,
    paymentType,
    name,
    fields,
    initiation: {
      redirectUrl,
      ...(message === undefined ? {} : { message }),
      ...(executionDate === undefined ? {} : { executionDate }),
    },
    validationErrors: [],
    validationWarnings: warnings,
    status: 'CREATED',
    createdAt: approval.now,
    updatedAt: approval.now,
  };
  const begin = notBefore(draft.initiation, time, senderAccount);
  return beginApproval(draft, { ...approval, notBefore: begin });
}

/** The requested day, or the next banking day after it. */
function bankingDayOf(
  { time, senderAccount }: ValidInitiation,
  { executionDate }: SinglePaymentRequest,
): LocalDate | undefined {
  if (executionDate === undefined) return undefined;
  const country = countryOf(senderAccount);
  const text = startFault(executionDate, todayOf(time, country));
  if (text !== undefined) throw notInitiated([{ path: 'executionDate', text }]);
  return bankingDayFrom(country, executionDate);
}
