/** The client's own access token. */
export interface TokenSource {
  /** The present token; concurrent callers share one request for a new one. */
  get(): Promise<string>;
  /** Forgets a rejected token. */
  drop(token: string): void;
}

export interface GrantedToken {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** A token is renewed this long before its end, or a tenth of its life if that is shorter. */
const MAX_MARGIN_MS = 60_000;

/**
 * Keeps a token until shortly before its end.
 * @param now milliseconds, as of `Date.now`
 */
export function createTokenSource(
  grant: () => Promise<GrantedToken>,
  now: () => number = Date.now,
): TokenSource {
  let current: { readonly token: string; readonly renewAt: number } | undefined;
  let pending: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const askedAt = now();
    const { access_token: token, expires_in: seconds } = await grant();
    const lifeMs = seconds * 1_000;
    current = { token, renewAt: askedAt + lifeMs - Math.min(MAX_MARGIN_MS, lifeMs / 10) };
    return token;
  }

  return {
    async get() {
      if (current && now() < current.renewAt) return current.token;
      pending ??= renew().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    drop(token) {
      if (current?.token === token) current = undefined;
    },
  };
}
