import { createHmac } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { idText } from '../domain/opaque-token.model.ts';

/** What a redeemed code gave: a chain of refresh tokens, of which the newest is good, and the access tokens under it. */
export interface TokenFamily {
  /** UUID: the authorization's. */
  id: string;
  clientId: string;
  consentId: string;
  userId: string;
  /** What the user authorized. */
  roles: Role[];
  /** Of the refresh token that is good. */
  generation: number;
  /** The last rotation, and the thumbprint of the certificate over which it was asked for. */
  rotatedAt: Date | null;
  rotatedOver: string | null;
  /** With its consent. */
  expiresAt: Date;
  /** The latest end of its access tokens. */
  accessUntil: Date;
  endedAt: Date | null;
}

/** For so long the token before the newest is good as well, over the certificate that the newest was asked for with. */
export const REPEATED_MS = 30_000;

/**
 * What a refresh token of the family is (RFC 9700 §4.14.2): the newest one; the one before it, whose answer may have been
 * lost, or is asked for by several at once; or one that somebody kept.
 */
export function judgeRefresh(
  { generation, rotatedAt, rotatedOver }: Pick<TokenFamily, 'generation' | 'rotatedAt' | 'rotatedOver'>,
  shown: { generation: number; thumbprint: string; now: Date },
): 'newest' | 'repeated' | 'reused' {
  if (shown.generation === generation) return 'newest';
  if (shown.generation !== generation - 1 || rotatedAt === null) return 'reused';
  const isTimely = shown.now.getTime() < rotatedAt.getTime() + REPEATED_MS;
  return isTimely && rotatedOver === shown.thumbprint ? 'repeated' : 'reused';
}

/** The id of an access token begins with its family's, by which all of them are revoked at once (§4.1). */
export function accessTokenId(familyId: string, own: string): string {
  return `${familyId}_${own}`;
}

/** The name under which one client knows a user: a UUID, and another one for each client. */
export function subjectOf(
  key: Uint8Array,
  { clientId, userId }: { clientId: string; userId: string },
): string {
  const bytes = createHmac('sha256', key).update(`${clientId} ${userId}`).digest().subarray(0, 16);
  // RFC 9562 §5.8: a UUID of our own making.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return idText(bytes);
}
