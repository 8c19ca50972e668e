import { hkdfSync } from 'node:crypto';

/** The keys of authorizations. All replicas derive the same ones from one stored root. */
export interface AuthorizationKeys {
  /** Seals requests that wait for their user. */
  requests: Buffer;
  /** Authenticates codes and refresh tokens. */
  opaqueTokens: Buffer;
  /** Derives the user ids that clients receive. */
  subjects: Buffer;
  /** Makes the tokens of forms and addresses. */
  forms: Buffer;
}

/** Derives the keys (RFC 5869). @param root 32 bytes */
export function authorizationKeys(root: Uint8Array): AuthorizationKeys {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', root, '', `kontoport ${purpose}`, 32));
  return {
    requests: derive('authorization requests'),
    opaqueTokens: derive('codes and refresh tokens'),
    subjects: derive('subjects'),
    forms: derive('forms'),
  };
}
