import { hkdfSync, timingSafeEqual } from 'node:crypto';
import type { SealingKeys } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import { createHmacSha256, type HmacSha256 } from './hmac.ts';
import type { Position } from './transaction.model.ts';

/** The sequence of pages that a cursor belongs to. */
export interface PageSequence {
  clientId: string;
  accountId: string;
  limit: number;
  from: string | undefined;
  to: string | undefined;
}

/** Cursors of the V2 list (§4.3): opaque to the caller, of use only within their own sequence. */
export interface Cursors {
  issue(position: Position, sequence: PageSequence): string;
  /** @throws ApiError CURSOR_INVALID when it was altered or belongs to another sequence. */
  read(cursor: string, sequence: PageSequence): Position;
}

const POSITION_BYTES = 8 + 16;
const TAG_BYTES = 32;

/**
 * A cursor is a position with an HMAC-SHA256 over it and its sequence, in base64url.
 * @param secretsKeys the first marks, and what one of them has marked is good; the same on every replica
 */
export function createCursors(secretsKeys: SealingKeys): Cursors {
  const macs = secretsKeys.map((key) =>
    createHmacSha256(Buffer.from(hkdfSync('sha256', key, '', 'kontoport transactions cursor v1', 32))),
  );
  const tagOf = (
    mac: HmacSha256,
    position: Uint8Array,
    { clientId, accountId, limit, from, to }: PageSequence,
  ): Buffer => mac(position, Buffer.from(JSON.stringify([clientId, accountId, limit, from, to])));

  return {
    issue({ postingTime, id }, sequence) {
      // Each octet of it is written.
      const position = Buffer.allocUnsafe(POSITION_BYTES);
      position.writeBigInt64BE(BigInt(Date.parse(postingTime)));
      position.write(id.replaceAll('-', ''), 8, 'hex');
      return Buffer.concat([position, tagOf(macs[0]!, position, sequence)]).toString('base64url');
    },
    read(cursor, sequence) {
      const bytes = Buffer.from(cursor, 'base64url');
      // The decoder overlooks foreign characters; only the exact value that was issued is a cursor.
      if (bytes.length !== POSITION_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor)
        throw invalid();
      const position = bytes.subarray(0, POSITION_BYTES);
      const tag = bytes.subarray(POSITION_BYTES);
      if (!macs.some((mac) => timingSafeEqual(tag, tagOf(mac, position, sequence)))) throw invalid();
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
