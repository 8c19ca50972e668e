export interface ClientOptions {
  /** Accounts, payments and webhook subscriptions, such as `https://localhost:8443`. */
  readonly baseUrl: string;
  /** Registration and client management. */
  readonly registrationUrl: string;
  /** Tokens. */
  readonly authUrl: string;
  /** The QWAC as PEM, leaf to root. */
  readonly cert: string | Buffer;
  /** Its private key as PEM. */
  readonly key: string | Buffer;
  /** The root of the bank's server certificate as PEM; default: those of Node.js. */
  readonly ca?: string | Buffer;
  /** Of the registration. */
  readonly clientId?: string;
  /** Of the registration. Without it the certificate alone authenticates the client (FAPI 2.0 profile). */
  readonly clientSecret?: string;
  /** The roles of the tokens; default: all that client and certificate have. */
  readonly scope?: 'PSP_AI' | 'PSP_PI';
  /** Bounds each attempt; default: 30 s. */
  readonly timeoutMs?: number;
  /** Further attempts after 429, 503 or a lost connection; default: 3. */
  readonly maxRetries?: number;
  /** A longer Retry-After fails at once; default: 60 s. */
  readonly maxRetryAfterMs?: number;
}

export interface CallOptions {
  /** X-Request-Id, the idempotency key of registrations and payments; default: a new UUID. */
  readonly requestId?: string;
  /** X-Language: en, da, sv or nb. */
  readonly language?: string;
  /** An access token under a user's consent; default: the client's own. */
  readonly token?: string;
  /** Ends the call with the signal's reason. */
  readonly signal?: AbortSignal;
}
