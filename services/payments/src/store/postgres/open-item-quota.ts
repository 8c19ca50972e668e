import type { Tx } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../../domain/texts.ts';
import { FULL_RETRY_AFTER_SECONDS, MAX_STANDING_ORDERS } from '../limits.ts';

/** Quotas for open items: drafts and baskets that no user approved. */
export interface OpenItemLimits {
  ofClient: number;
  ofOrganization: number;
}

/** Open items of a client or an organization, as far as this process knows. */
interface Known {
  entries: number;
  countedAt: number;
}

interface CountedOwner {
  clientId: string;
  organization: string;
  /** Each is counted up to it. */
  limit: number;
}

/** Counts the open items of a client and of its organization. */
type CountOpen = (tx: Tx, owner: CountedOwner) => Promise<{ ofClient: number; ofOrganization: number }>;

/** Counts drafts and baskets that no user approved. SQL (batch): four counts in one statement. */
export const countOpenItems: CountOpen = async (tx, { clientId, organization, limit }) => {
  const count = (table: string, owner = 'true'): string =>
    `(SELECT count(*)::int FROM (SELECT FROM ${table} WHERE counted AND organization = $1 AND ${owner} LIMIT $3) AS open)`;
  const own = 'client_id = $2';
  const { rows } = await tx.query<{ ofClient: number; ofOrganization: number }>({
    name: 'open-item-count',
    text: `SELECT ${count('draft', own)} + ${count('basket', own)} AS "ofClient",
             ${count('draft')} + ${count('basket')} AS "ofOrganization"`,
    values: [organization, clientId, limit],
  });
  return rows[0]!;
};

const RECOUNT_MS = 10_000;

/**
 * Limits the open items of a client and of an organization without a count at each request: it counts at most every 10 s and
 * adds what this process stores in between. So several processes together can exceed a quota by what they store within 10 s,
 * never by more.
 */
export class OpenItemQuota {
  readonly #limits: OpenItemLimits;
  readonly #count: CountOpen;
  readonly #clients = new Map<string, Known>();
  readonly #organizations = new Map<string, Known>();

  constructor(options: { limits: OpenItemLimits; count: CountOpen }) {
    this.#limits = options.limits;
    this.#count = options.count;
  }

  /**
   * Reserves entries before they are written.
   * @returns releases them, for a write that failed
   * @throws ApiError RATE_LIMITED when the quota is full
   */
  async reserve(
    tx: Tx,
    order: { clientId: string; organizationIdentifier: string; entries: number; now: Date },
  ): Promise<() => void> {
    const { clientId, organizationIdentifier: organization, entries, now } = order;
    if (entries === 0) return () => {};
    if (!this.#isKnown(clientId, organization, now)) {
      const limit = Math.max(this.#limits.ofClient, this.#limits.ofOrganization) + 1;
      const counted = await this.#count(tx, { clientId, organization, limit });
      note(this.#clients, clientId, { entries: counted.ofClient, now });
      note(this.#organizations, organization, { entries: counted.ofOrganization, now });
    }
    const ofClient = this.#clients.get(clientId)!;
    const ofOrganization = this.#organizations.get(organization)!;
    if (ofClient.entries + entries > this.#limits.ofClient) throw full('client-open-full');
    if (ofOrganization.entries + entries > this.#limits.ofOrganization) throw full('organization-open-full');
    ofClient.entries += entries;
    ofOrganization.entries += entries;
    return () => {
      ofClient.entries -= entries;
      ofOrganization.entries -= entries;
    };
  }

  /** Deletes outdated counts. */
  sweep(now: Date): void {
    for (const known of [this.#clients, this.#organizations])
      for (const [key, counted] of known) if (!isFresh(counted, now)) known.delete(key);
  }

  #isKnown(clientId: string, organization: string, now: Date): boolean {
    return isFresh(this.#clients.get(clientId), now) && isFresh(this.#organizations.get(organization), now);
  }
}

function isFresh(known: Known | undefined, now: Date): boolean {
  return known !== undefined && now.getTime() < known.countedAt + RECOUNT_MS;
}

/** Notes a count, unless a concurrent one is noted: reservations since then are in that one alone. */
function note(
  known: Map<string, Known>,
  key: string,
  { entries, now }: { entries: number; now: Date },
): void {
  if (!isFresh(known.get(key), now)) known.set(key, { entries, countedAt: now.getTime() });
}

function full(rule: 'client-open-full' | 'organization-open-full'): ApiError {
  return new ApiError('RATE_LIMITED', TEXTS(rule), { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS });
}

/** First half of two-part advisory locks, which meet no other lock of the database. */
const STANDING_ORDERS_LOCK = 0x73746f72;

/**
 * Requires quota for one more standing order. The count is exact: there are few, and each one creates many payments.
 * SQL (lock): writers of one organization take turns until the end of the transaction.
 * @throws ApiError STATUS_INVALID when the quota is full
 */
export async function requireStandingOrderQuota(
  tx: Tx,
  order: { clientId: string; organizationIdentifier: string },
): Promise<void> {
  const { clientId, organizationIdentifier: organization } = order;
  await tx.query({
    name: 'standing-order-places',
    text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
    values: [STANDING_ORDERS_LOCK, organization],
  });
  const most = MAX_STANDING_ORDERS;
  const counted = 'SELECT FROM standing_order WHERE counted AND organization = $1';
  const { rows } = await tx.query<{ ofClient: number; ofOrganization: number }>({
    name: 'standing-order-count',
    text: `SELECT (SELECT count(*)::int FROM (${counted} AND client_id = $2 LIMIT $3) AS own) AS "ofClient",
             (SELECT count(*)::int FROM (${counted} LIMIT $3) AS whole) AS "ofOrganization"`,
    values: [organization, clientId, most.ofOrganization],
  });
  const live = rows[0]!;
  if (live.ofClient >= most.ofClient || live.ofOrganization >= most.ofOrganization)
    throw new ApiError('STATUS_INVALID', TEXTS('standing-orders-full'));
}
