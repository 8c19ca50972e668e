/**
 * When a signing key works. It is published in the JWKS from its creation, signs from `activeFrom` until its
 * successor's time comes, and stays published until `retireAt`, after the last token it signed has expired.
 */
export interface KeySchedule {
  kid: string;
  createdAt: Date;
  activeFrom: Date;
  /** Undefined as long as it has no successor. */
  retireAt?: Date | undefined;
}

const MINUTE = 60_000;

/** Longest life of an access token (§4.1). */
export const LONGEST_TOKEN_LIFETIME_MS = 60 * MINUTE;

/**
 * How long a key is published before it signs: longer than every replica takes to publish it (`RELOAD_MS`), an
 * HTTP cache keeps the JWKS (5 min) and a verifier does (5 min).
 */
export const PUBLISHED_BEFORE_SIGNING_MS = 15 * MINUTE;

/** How often a replica reads the keys again. */
export const RELOAD_MS = MINUTE;

/** For clocks that disagree. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE;

/** What must change so that one key signs and its successor is published. */
export interface RotationPlan {
  /** `activeFrom` of the keys to make, in order. */
  create: Date[];
  /** Keys that have got a successor, with the time at which they leave the JWKS. */
  retire: { kid: string; retireAt: Date }[];
  /** Keys whose last token has expired. */
  remove: string[];
}

/**
 * The next step of the rotation; empty most of the time, and again after it was applied.
 * @param options.rotationMs how long a key signs
 */
export function planRotation(
  keys: readonly KeySchedule[],
  options: { now: Date; rotationMs: number },
): RotationPlan {
  const { now, rotationMs } = options;
  const remove = keys.filter((key) => isPast(key.retireAt, now)).map(({ kid }) => kid);
  const newest = newestOf(keys);
  if (newest === undefined)
    return { create: [now, new Date(now.getTime() + rotationMs)], retire: [], remove };
  if (newest.activeFrom > now) return { create: [], retire: [], remove };
  const next = new Date(
    Math.max(newest.activeFrom.getTime() + rotationMs, now.getTime() + PUBLISHED_BEFORE_SIGNING_MS),
  );
  return { create: [next], retire: [{ kid: newest.kid, retireAt: retirementFor(next) }], remove };
}

/** When a key leaves the JWKS whose successor signs from `successorActiveFrom` on. */
export function retirementFor(successorActiveFrom: Date): Date {
  return new Date(successorActiveFrom.getTime() + LONGEST_TOKEN_LIFETIME_MS + CLOCK_TOLERANCE_MS);
}

/** The keys that verifiers must know at `now`. */
export function publishedKeys<Key extends KeySchedule>(keys: readonly Key[], now: Date): Key[] {
  return keys.filter((key) => !isPast(key.retireAt, now));
}

/**
 * The key that signs at `now`; undefined when what was read at `readAt` is too old to tell: a successor that was
 * made since may have taken over.
 */
export function signingKey<Key extends KeySchedule>(
  keys: readonly Key[],
  { now, readAt }: { now: Date; readAt: Date },
): Key | undefined {
  // A replica whose clock is behind that of the first key's maker signs with the first key.
  const current = newestOf(keys.filter((key) => start(key) <= now.getTime())) ?? oldestOf(keys);
  const succeeded = current !== undefined && current.kid !== newestOf(keys)?.kid;
  const recent = now.getTime() - readAt.getTime() < PUBLISHED_BEFORE_SIGNING_MS;
  return succeeded || recent ? current : undefined;
}

function newestOf<Key extends KeySchedule>(keys: readonly Key[]): Key | undefined {
  return keys.reduce<Key | undefined>(
    (newest, key) => (newest !== undefined && start(newest) > start(key) ? newest : key),
    undefined,
  );
}

function oldestOf<Key extends KeySchedule>(keys: readonly Key[]): Key | undefined {
  return keys.reduce<Key | undefined>(
    (oldest, key) => (oldest !== undefined && start(oldest) <= start(key) ? oldest : key),
    undefined,
  );
}

const start = ({ activeFrom }: KeySchedule): number => activeFrom.getTime();

function isPast(time: Date | undefined, now: Date): boolean {
  return time !== undefined && time <= now;
}
