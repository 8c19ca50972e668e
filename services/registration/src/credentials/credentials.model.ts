import type { KnownClient } from '../directory/known-client.model.ts';

/** The stored credentials of a client. */
export interface Credentials {
  client: KnownClient;
  /** HMAC-SHA256 of the secret under a pepper. */
  secretHash: Uint8Array;
  /** The id of that pepper; null for a secret that was stored before these ids. */
  secretPepperId: Uint8Array | null;
  /** Whether they were accepted before. */
  used: boolean;
}

/** The position in CLIENT_SECRET_PEPPER of the pepper of a client's secret. */
export type PepperPosition = 'first' | 'later' | 'unlisted' | 'unknown';
