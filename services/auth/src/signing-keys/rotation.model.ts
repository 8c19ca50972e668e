/**
 * The schedule of a signing key. The JWKS holds it from its creation until `retireAt`, when its last token has expired. It signs
 * from `activeFrom` until its successor does.
 */
export interface KeySchedule {
  kid: string;
  createdAt: Date;
  activeFrom: Date;
  /** Undefined without a successor. */
  retireAt?: Date | undefined;
}

const MINUTE = 60_000;

/** The longest lifetime of an access token (§4.1). */
export const LONGEST_TOKEN_LIFETIME_MS = 60 * MINUTE;

/**
 * The time between the publication of a key and its first signature. It exceeds the sum of the replicas' reload interval
 * (`RELOAD_MS`), an HTTP cache (5 min) and a verifier's cache (5 min).
 */
export const PUBLISHED_BEFORE_SIGNING_MS = 15 * MINUTE;

/** The interval at which a replica reloads the keys. */
export const RELOAD_MS = MINUTE;

/** Tolerates differences between clocks. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE;

/** The changes after which one key signs and its successor is published. */
export interface RotationPlan {
  /** The `activeFrom` of the keys to create, in order. */
  create: Date[];
  /** Keys with a new successor, and the time at which they leave the JWKS. */
  retire: { kid: string; retireAt: Date }[];
  /** Keys whose last token has expired. */
  remove: string[];
}

/**
 * Plans the next step of the rotation, usually none.
 * @param options.rotationMs the time that a key signs
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

/** Returns the time at which a key leaves the JWKS when its successor signs from `successorActiveFrom`. */
export function retirementFor(successorActiveFrom: Date): Date {
  return new Date(successorActiveFrom.getTime() + LONGEST_TOKEN_LIFETIME_MS + CLOCK_TOLERANCE_MS);
}

/** Returns the keys that verifiers must know at `now`. */
export function publishedKeys<Key extends KeySchedule>(keys: readonly Key[], now: Date): Key[] {
  return keys.filter((key) => !isPast(key.retireAt, now));
}

/**
 * Returns the key that signs at `now`; undefined when the keys were read too long ago, because a newer successor may sign
 * already.
 */
export function signingKey<Key extends KeySchedule>(
  keys: readonly Key[],
  { now, readAt }: { now: Date; readAt: Date },
): Key | undefined {
  // A replica whose clock is behind that of the creator signs with the first key.
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
