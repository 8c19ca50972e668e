import type { KeyObject } from 'node:crypto';
import type { KeySchedule } from './rotation.model.ts';

/** The public part of an ES256 key (RFC 7517). */
export interface PublicJwk {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  kid: string;
  alg: 'ES256';
  use: 'sig';
}

/** A stored signing key. */
export interface StoredKey extends KeySchedule {
  publicJwk: PublicJwk;
  sealedPrivateJwk: Uint8Array<ArrayBuffer>;
}

/** The signing key, ready for use. */
export interface Signer {
  kid: string;
  privateKey: KeyObject;
}
