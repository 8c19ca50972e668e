import { ApiError, type Text } from '@kontoport/errors';
import type { AnswerHeaders } from '@kontoport/http';
import { GATE_TEXTS } from './texts.ts';

/** Requests per window. */
export interface RateLimitsOptions {
  /** Requests of a client. */
  client: number;
  /** Requests of all clients of an organization together. */
  organization: number;
  windowMs: number;
}

/** A count that replicas exchange: one replica's new requests, or the sum of all. */
export interface Usage {
  /** A client or an organization, opaque to others. */
  key: string;
  /** The end of the window. */
  endsAt: Date;
  requests: number;
}

/** Maximum number of clients and organizations that are counted at the same time. A new one beyond it evicts the oldest. */
const MAX_KEYS = 10_000;

/** A key is reported to other replicas once it has used this part of its limit here (1/100): quiet callers cost nothing. */
const REPORT_FRACTION = 100;

/** Keys per report. The next report contains the rest. */
const MAX_REPORTED = 1_000;

/**
 * Counts the requests of clients and organizations in windows of equal length. Each key's windows begin at a moment of their
 * own, so that they do not all start together. Replicas exchange their counts (`report`, `merge`).
 */
export class RateLimits {
  readonly #clients: Counts;
  readonly #organizations: Counts;
  readonly #policies: { client: string; organization: string };

  constructor({ client, organization, windowMs }: RateLimitsOptions) {
    this.#clients = new Counts({ kind: 'client', limit: client, windowMs });
    this.#organizations = new Counts({ kind: 'organization', limit: organization, windowMs });
    const ofOrganization = policyOf(this.#organizations);
    this.#policies = {
      client: `${policyOf(this.#clients)}, ${ofOrganization}`,
      organization: ofOrganization,
    };
  }

  /** Number of clients and organizations that are counted. */
  get size(): number {
    return this.#clients.size + this.#organizations.size;
  }

  /**
   * Counts a request over an accepted certificate.
   * @param identifier the certificate's organizationIdentifier
   * @param headers gets RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-11)
   * @throws ApiError RATE_LIMITED
   */
  countOrganization(identifier: string, { now, headers }: { now: Date; headers: AnswerHeaders }): Count {
    const counts = this.#organizations;
    const count = counts.find(identifier, now);
    const isOver = counts.isOver(count);
    if (!isOver) count.own += 1;
    headers['ratelimit-policy'] = this.#policies.organization;
    headers.ratelimit = limitOf(counts, count, now);
    if (isOver) throw tooMany(counts, count, now);
    return count;
  }

  /**
   * Counts the same request for its authenticated client. A request refused here does not count for the organization.
   * @param request.organization the count that the organization's check returned
   * @throws ApiError RATE_LIMITED
   */
  countClient(
    clientId: string,
    { now, headers, organization }: { now: Date; headers: AnswerHeaders; organization: Count },
  ): void {
    const counts = this.#clients;
    const count = counts.find(clientId, now);
    const isOver = counts.isOver(count);
    if (isOver) organization.own -= 1;
    else count.own += 1;
    headers['ratelimit-policy'] = this.#policies.client;
    headers.ratelimit = `${limitOf(counts, count, now)}, ${limitOf(this.#organizations, organization, now)}`;
    if (isOver) throw tooMany(counts, count, now);
  }

  /**
   * Returns the refusal that a caller beyond its limit gets. It counts nothing.
   * @param headers get RateLimit, as of that refusal
   */
  refusalOf(
    { clientId, organization }: { clientId?: string; organization: string },
    { now, headers }: { now: Date; headers: AnswerHeaders },
  ): ApiError {
    const ofOrganization = this.#organizations.find(organization, now);
    const [counts, count] =
      clientId === undefined
        ? [this.#organizations, ofOrganization]
        : [this.#clients, this.#clients.find(clientId, now)];
    const used = limitOf(counts, { ...count, shared: counts.limit, own: 0 }, now);
    headers.ratelimit =
      clientId === undefined ? used : `${used}, ${limitOf(this.#organizations, ofOrganization, now)}`;
    return tooMany(counts, count, now);
  }

  /** Returns the counts to report now. Each request is reported once. */
  report(now: Date): Usage[] {
    return [...this.#clients.report(now), ...this.#organizations.report(now)];
  }

  /** Receives the sums of all replicas. */
  merge(usages: readonly Usage[]): void {
    for (const usage of usages) {
      this.#clients.merge(usage);
      this.#organizations.merge(usage);
    }
  }
}

/** The requests of one key in its present window. */
interface Count {
  endsAt: number;
  /** Requests at all replicas by the last report, including this one's reported ones. */
  shared: number;
  /** Requests at this replica that are not reported yet. Negative after requests were uncounted. */
  own: number;
}

interface CountsOptions {
  kind: 'client' | 'organization';
  limit: number;
  windowMs: number;
}

class Counts {
  readonly kind: CountsOptions['kind'];
  readonly limit: number;
  readonly windowMs: number;
  readonly #prefix: string;
  /** Ordered by the beginning of the window. */
  readonly #counts = new Map<string, Count>();

  constructor({ kind, limit, windowMs }: CountsOptions) {
    this.kind = kind;
    this.limit = limit;
    this.windowMs = windowMs;
    this.#prefix = `${kind} `;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** The count of a key in the window of `now`. */
  find(key: string, now: Date): Count {
    const at = now.getTime();
    const known = this.#counts.get(key);
    if (known !== undefined && known.endsAt > at) return known;
    this.#counts.delete(key);
    this.#forgetEnded(at);
    if (this.#counts.size >= MAX_KEYS) this.#counts.delete(this.#counts.keys().next().value!);
    const count = { endsAt: endOfWindow(key, at, this.windowMs), shared: 0, own: 0 };
    this.#counts.set(key, count);
    return count;
  }

  isOver({ shared, own }: Count): boolean {
    return shared + own >= this.limit;
  }

  report(now: Date): Usage[] {
    const least = this.limit / REPORT_FRACTION;
    const usages: Usage[] = [];
    for (const [key, count] of this.#counts) {
      const { endsAt, own } = count;
      if (own <= 0 || count.shared + own < least || endsAt <= now.getTime()) continue;
      usages.push({ key: this.#prefix + key, endsAt: new Date(endsAt), requests: own });
      count.shared += own;
      count.own = 0;
      if (usages.length === MAX_REPORTED) break;
    }
    return usages;
  }

  merge({ key, endsAt, requests }: Usage): void {
    if (!key.startsWith(this.#prefix)) return;
    const count = this.#counts.get(key.slice(this.#prefix.length));
    if (count?.endsAt === endsAt.getTime()) count.shared = Math.max(count.shared, requests);
  }

  #forgetEnded(at: number): void {
    for (const [key, { endsAt }] of this.#counts) {
      if (endsAt > at) return;
      this.#counts.delete(key);
    }
  }
}

/** Equal at every replica with a correct clock. */
function endOfWindow(key: string, at: number, windowMs: number): number {
  let hash = 0;
  for (let index = 0; index < key.length; index++) hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  const offset = Math.abs(hash) % windowMs;
  return at - ((at - offset) % windowMs) + windowMs;
}

function policyOf({ kind, limit, windowMs }: Counts): string {
  return `"${kind}";q=${limit};w=${windowMs / 1_000}`;
}

function limitOf(counts: Counts, count: Count, now: Date): string {
  const left = Math.max(0, counts.limit - count.shared - count.own);
  return `"${counts.kind}";r=${left};t=${secondsTo(count, now)}`;
}

function secondsTo({ endsAt }: Count, now: Date): number {
  return Math.ceil((endsAt - now.getTime()) / 1_000);
}

function tooMany({ kind, limit, windowMs }: Counts, count: Count, now: Date): ApiError {
  const seconds = secondsTo(count, now);
  const values = { most: limit, window: windowMs / 1_000, seconds };
  const text: Text =
    kind === 'client' ? GATE_TEXTS('client-too-fast', values) : GATE_TEXTS('organization-too-fast', values);
  return new ApiError('RATE_LIMITED', text, { retryAfterSeconds: seconds });
}
