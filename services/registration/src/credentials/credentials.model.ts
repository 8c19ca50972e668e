import type { KnownClient } from '../directory/known-client.model.ts';

/** What the credentials of a client are compared with. */
export interface Credentials {
  client: KnownClient;
  /** HMAC-SHA256 of the secret under a pepper. */
  secretHash: Uint8Array;
  /** Of that pepper; null when it was stored before that was noted. */
  secretPepperId: Uint8Array | null;
  /** Whether they were accepted before. */
  used: boolean;
}

/** By the pepper that its secret is stored under, how a client is told: where in CLIENT_SECRET_PEPPER it stands. */
export type PepperPlace = 'first' | 'later' | 'unlisted' | 'unknown';
