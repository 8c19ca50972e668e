import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type Hmac,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { SealingKeys } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { Position } from './transaction.model.ts';

/** The sequence of pages that a cursor belongs to. */
export interface PageSequence {
  clientId: string;
  accountId: string;
  limit: number;
  from: string | undefined;
  to: string | undefined;
}

/** Cursors of the V2 list (§4.3): opaque to the caller, valid only within their own sequence. */
export interface Cursors {
  issue(position: Position, sequence: PageSequence): string;
  /** @throws ApiError CURSOR_INVALID for an altered one, and for one of another sequence. */
  read(cursor: string, sequence: PageSequence): Position;
}

const POSITION_BYTES = 8 + 16;
const TAG_BYTES = 32;

/**
 * A cursor is a position with an HMAC-SHA256 over it and its sequence, in base64url.
 * @param secretsKeys the first signs, all verify; every replica has the same ones
 */
export function createCursors(secretsKeys: SealingKeys): Cursors {
  // For a key as bytes, Node makes a key object per HMAC, which costs several times the HMAC itself.
  const keys = secretsKeys.map((key) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'kontoport transactions cursor v1', 32))),
  );
  const markOf = (
    key: KeyObject,
    position: Uint8Array,
    { clientId, accountId, limit, from, to }: PageSequence,
  ): Hmac =>
    createHmac('sha256', key)
      .update(position)
      .update(JSON.stringify([clientId, accountId, limit, from, to]));

  // Allocating a small buffer for each page costs more than filling it.
  const issued = Buffer.alloc(POSITION_BYTES);

  return {
    issue({ postingTime, id }, sequence) {
      issued.writeBigInt64BE(BigInt(Date.parse(postingTime)));
      issued.write(id.replaceAll('-', ''), 8, 'hex');
      // Both lengths are multiples of three bytes, so that the joined texts are the base64url of the joined bytes.
      return issued.toString('base64url') + markOf(keys[0]!, issued, sequence).digest('base64url');
    },
    read(cursor, sequence) {
      const bytes = Buffer.from(cursor, 'base64url');
      // The decoder ignores foreign characters. Only the exact issued text is a cursor.
      if (bytes.length !== POSITION_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor)
        throw invalid();
      const position = bytes.subarray(0, POSITION_BYTES);
      const tag = bytes.subarray(POSITION_BYTES);
      if (!keys.some((key) => timingSafeEqual(tag, markOf(key, position, sequence).digest())))
        throw invalid();
      return {
        postingTime: new Date(Number(position.readBigInt64BE())).toISOString(),
        id: position.toString('hex', 8).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      };
    },
  };
}

function invalid(): ApiError {
  return new ApiError('CURSOR_INVALID', TEXTS('cursor-invalid'));
}
