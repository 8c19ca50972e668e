import { createHmac } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { idText } from '../domain/opaque-token.model.ts';

/** The tokens of a redeemed code: a chain of refresh tokens, of which the newest is valid, and their access tokens. */
export interface TokenFamily {
  /** The authorization's id, a UUID. */
  id: string;
  clientId: string;
  consentId: string;
  userId: string;
  /** The roles that the user authorized. */
  roles: Role[];
  /** The number of the valid refresh token. */
  generation: number;
  /** The last rotation, and the thumbprint of the certificate of that request. */
  rotatedAt: Date | null;
  rotatedOver: string | null;
  /** The end of its consent. */
  expiresAt: Date;
  /** The end of its last access token. */
  accessUntil: Date;
  endedAt: Date | null;
}

/** The time that the previous refresh token stays valid, over the certificate of the last rotation. */
const REUSE_GRACE_MS = 30_000;

/**
 * Classifies a refresh token of the family (RFC 9700 §4.14.2): the newest; the previous one, repeated after a lost answer or by
 * a concurrent request; or a reused one.
 */
export function judgeRefresh(
  { generation, rotatedAt, rotatedOver }: Pick<TokenFamily, 'generation' | 'rotatedAt' | 'rotatedOver'>,
  presented: { generation: number; thumbprint: string; now: Date },
): 'newest' | 'repeated' | 'reused' {
  if (presented.generation === generation) return 'newest';
  if (presented.generation !== generation - 1 || rotatedAt === null) return 'reused';
  const isTimely = presented.now.getTime() < rotatedAt.getTime() + REUSE_GRACE_MS;
  return isTimely && rotatedOver === presented.thumbprint ? 'repeated' : 'reused';
}

/** Makes the id of an access token. It begins with the family's id, by which all its access tokens are revoked at once (§4.1). */
export function accessTokenId(familyId: string, own: string): string {
  return `${familyId}_${own}`;
}

/** Derives the UUID that represents a user to one client. It is another one for each client. */
export function subjectOf(
  key: Uint8Array,
  { clientId, userId }: { clientId: string; userId: string },
): string {
  const bytes = createHmac('sha256', key).update(`${clientId} ${userId}`).digest().subarray(0, 16);
  // A custom UUID, version 8 (RFC 9562 §5.8).
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return idText(bytes);
}
