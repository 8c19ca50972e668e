import { hkdfSync } from 'node:crypto';

/** What authorizations are sealed and marked with: only the root of it is stored, and all replicas have the same. */
export interface AuthorizationKeys {
  /** Of requests that wait for their user. */
  requests: Buffer;
  /** Of the texts of codes and refresh tokens. */
  handles: Buffer;
  /** Of the names under which clients know users. */
  subjects: Buffer;
  /** Of what forms and addresses of the pages prove. */
  forms: Buffer;
}

/** Derives the keys (RFC 5869). @param root 32 bytes */
export function authorizationKeys(root: Uint8Array): AuthorizationKeys {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', root, '', `kontoport ${purpose}`, 32));
  return {
    requests: derive('authorization requests'),
    handles: derive('codes and refresh tokens'),
    subjects: derive('subjects'),
    forms: derive('forms'),
  };
}
