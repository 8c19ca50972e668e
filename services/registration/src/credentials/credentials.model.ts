import type { KnownClient } from '../directory/known-client.model.ts';

/** What the credentials of a client are compared with. */
export interface Credentials {
  client: KnownClient;
  /** HMAC-SHA256 of the secret under the pepper. */
  secretHash: Uint8Array;
  /** Whether they were accepted before. */
  used: boolean;
}
