import { ApiError } from '@kontoport/errors';
import { defineRpc, type Rpc, unary } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import {
  type ApprovedPayment,
  AuthenticateRequest,
  type AuthenticateResponse,
  AuthenticationStatus,
  Creditor,
  StrongAuthenticationServiceService,
} from '@kontoport/proto/bank/v1';
import type { Entry, Journal, Outcome } from './journal.ts';
import { TEXTS } from './texts.ts';

/** Kontoport may ask about a decided authentication for so long (kontoport.bank.v1). */
export const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Wrong codes after which an authentication has failed; the law allows five at most (Delegated Regulation (EU) 2018/389, article 4). */
const MAX_WRONG_CODES = 3;

/** An approval that Kontoport asks of a user, and the user's answer. */
export interface Authentication {
  request: AuthenticateRequest;
  askedAt: number;
  /** On the disk. */
  answer?: Outcome;
  /** The journal is writing the answer. */
  isAnswered?: boolean;
  /** Before the answer. */
  wrongCodes?: number;
}

/** The approvals of the bank's users. Each is answered once. The journal outlives the process. */
export class Authentications {
  readonly #journal: Journal;
  readonly #byId = new Map<string, Authentication>();
  readonly #byPayment = new Map<string, { id: string; payment: ApprovedPayment }>();

  constructor(journal: Journal, entries: readonly Entry[]) {
    this.#journal = journal;
    for (const entry of entries) {
      if (entry.kind === 'asked') this.#keep(AuthenticateRequest.fromJSON(entry.request), entry.at);
      if (entry.kind === 'answered') this.#byId.get(entry.id)!.answer = entry.answer;
    }
  }

  /** Asks a user, or returns the state of a known approval. @throws ApiError DUPLICATE_ID when the id is taken by another user or digest */
  async ask(request: AuthenticateRequest, now: number): Promise<Authentication> {
    const { authenticationId: id, userId, digest } = request;
    const known = this.#byId.get(id);
    if (known === undefined) {
      this.#forgetOld(now);
      const asked = this.#keep(request, now);
      await this.#journal.append({
        kind: 'asked',
        at: now,
        id,
        request: AuthenticateRequest.toJSON(request),
      });
      return asked;
    }
    if (known.request.userId !== userId || !Buffer.from(known.request.digest).equals(digest))
      throw new ApiError('DUPLICATE_ID', TEXTS('other-content'));
    return known;
  }

  /** Returns the approvals that wait for this user. */
  waitingFor(userId: string, now: number): Authentication[] {
    return [...this.#byId.values()].filter(
      (asked) => asked.request.userId === userId && statusOf(asked, now) === 'PENDING',
    );
  }

  find(id: string): Authentication | undefined {
    return this.#byId.get(id);
  }

  /**
   * Counts a wrong code of this user.
   * @returns whether the approval has FAILED with it
   */
  async countWrongCode(id: string, userId: string, now: number): Promise<boolean> {
    const known = this.#byId.get(id);
    if (known?.request.userId !== userId) return false;
    known.wrongCodes = (known.wrongCodes ?? 0) + 1;
    if (known.wrongCodes >= MAX_WRONG_CODES) await this.answer(id, 'FAILED', now);
    return statusOf(known, now) === 'FAILED';
  }

  /** Stores the answer. Later answers change nothing. */
  async answer(id: string, answer: Outcome, now: number): Promise<void> {
    const known = this.#byId.get(id);
    if (known === undefined || known.isAnswered || statusOf(known, now) !== 'PENDING') return;
    known.isAnswered = true;
    await this.#journal.append({ kind: 'answered', at: now, id, answer });
    // Visible only now: a visible answer must survive a crash.
    known.answer = answer;
  }

  /** Returns the payment as a user approved it. */
  approved(paymentId: string): ApprovedPayment | undefined {
    const asked = this.#byPayment.get(paymentId);
    return asked && this.#byId.get(asked.id)?.answer === 'APPROVED' ? asked.payment : undefined;
  }

  #keep(request: AuthenticateRequest, askedAt: number): Authentication {
    const { authenticationId: id } = request;
    const asked: Authentication = { request, askedAt };
    this.#byId.set(id, asked);
    for (const payment of request.payments) this.#byPayment.set(payment.paymentId, { id, payment });
    return asked;
  }

  #forgetOld(now: number): void {
    for (const [id, asked] of this.#byId) {
      if (keptUntil(asked) > now) continue;
      this.#byId.delete(id);
      for (const { paymentId } of asked.request.payments) this.#byPayment.delete(paymentId);
    }
  }
}

/** Keeps an approval as long as a payment of it may come, and 30 days longer. */
function keptUntil({ answer, askedAt, request }: Authentication): number {
  const lastDays = answer === 'APPROVED' ? request.payments.map(lastDayOf) : [];
  return Math.max(askedAt, ...lastDays) + KEPT_MS;
}

/** Returns the day of the last execution; Infinity for a standing order without end. */
function lastDayOf({ executionDate, standingOrder }: ApprovedPayment): number {
  if (standingOrder?.endDate === '') return Infinity;
  const day = standingOrder?.endDate ?? executionDate;
  return day === '' ? -Infinity : Date.parse(day);
}

/** Returns the entries that are still needed: approvals with their answers, and payments of the last 30 days. */
export function stillNeeded(entries: readonly Entry[], now: number): Entry[] {
  const answers = new Map(
    entries.flatMap((entry) => (entry.kind === 'answered' ? [[entry.id, entry] as const] : [])),
  );
  const asked = new Set(
    entries.flatMap((entry) => {
      if (entry.kind !== 'asked') return [];
      const answer = answers.get(entry.id)?.answer;
      const request = AuthenticateRequest.fromJSON(entry.request);
      const known = { request, askedAt: entry.at, ...(answer && { answer }) };
      return keptUntil(known) > now ? [entry.id] : [];
    }),
  );
  return entries.filter(({ kind, id, at }) => (kind === 'taken' ? at + KEPT_MS > now : asked.has(id)));
}

/** Returns the state of an approval. */
export function statusOf({ answer, request }: Authentication, now: number): 'PENDING' | 'EXPIRED' | Outcome {
  if (answer !== undefined) return answer;
  return (request.expiresAt?.getTime() ?? Infinity) > now ? 'PENDING' : 'EXPIRED';
}

/** The fields of a payment that the user approves. */
type Approved = Pick<ApprovedPayment, 'accountId' | 'amount' | 'creditor'>;

/** Returns whether two payments have the same account, amount and payee. */
export function isSamePayment(one: Approved, other: Approved): boolean {
  const written = ({ accountId, amount, creditor }: Approved): string =>
    JSON.stringify([accountId, amount?.value, amount?.currency, creditor && Creditor.toJSON(creditor)]);
  return written(one) === written(other);
}

/** StrongAuthenticationService. */
export function authenticationRpc(options: {
  authentications: Authentications;
  pagesUrl: () => string;
  logger: Logger;
}): Rpc {
  const { authentications, pagesUrl, logger } = options;
  return defineRpc({
    definition: StrongAuthenticationServiceService,
    allowedCallers: { authenticate: ['payments'] },
    implementation: {
      authenticate: unary<AuthenticateRequest, AuthenticateResponse>(logger, async (request) => {
        const { authenticationId, digest, payments } = request;
        if (!/^[A-Za-z0-9_-]{1,64}$/.test(authenticationId) || digest.length !== 32 || payments.length === 0)
          throw new ApiError('FORMAT_ERROR', TEXTS('malformed'));
        const now = Date.now();
        const status = statusOf(await authentications.ask(request, now), now);
        return {
          status: AuthenticationStatus[`AUTHENTICATION_STATUS_${status}`],
          approvalUrl: `${pagesUrl()}/app/${authenticationId}`,
        };
      }),
    },
  });
}
