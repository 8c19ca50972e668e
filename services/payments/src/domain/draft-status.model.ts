import { ApiError } from '@kontoport/errors';
import { TEXTS } from './texts.ts';

/** Statuses of a draft and its payment (§3.2). */
export const DRAFT_STATUSES = [
  'CREATED',
  'AWAITING_APPROVAL',
  'PENDING',
  'COMPLETED',
  'REJECTED',
  'EXPIRED',
] as const;

export type DraftStatus = (typeof DRAFT_STATUSES)[number];

/** The events that change the status of a draft. */
export type DraftEvent =
  | 'update'
  | 'submit'
  | 'approve'
  | 'refuse'
  | 'expire'
  | 'cancel'
  | 'post'
  | 'postpone'
  | 'settle'
  | 'reject';

/**
 * Every legal transition; all others are errors.
 * - submit: the bank asks the user; approve: the user, or the sandbox at once, agrees; refuse, lapse: the user did not
 * - post: an attempt to book begins; postpone: the ledger gave no answer; settle, reject: it gave one
 */
export const TRANSITIONS: Readonly<Record<DraftStatus, Partial<Record<DraftEvent, DraftStatus>>>> = {
  CREATED: { update: 'CREATED', submit: 'AWAITING_APPROVAL', approve: 'PENDING' },
  AWAITING_APPROVAL: { approve: 'PENDING', refuse: 'REJECTED', expire: 'EXPIRED' },
  PENDING: {
    cancel: 'CREATED',
    post: 'PENDING',
    postpone: 'PENDING',
    settle: 'COMPLETED',
    reject: 'REJECTED',
  },
  COMPLETED: {},
  REJECTED: {},
  EXPIRED: {},
};

/** The status after `event`. @throws ApiError STATUS_INVALID (409) when the table has no such transition. */
export function nextStatus(status: DraftStatus, event: DraftEvent): DraftStatus {
  const next = TRANSITIONS[status][event];
  if (next === undefined) throw new ApiError('STATUS_INVALID', TEXTS('draft-status', { status }));
  return next;
}
