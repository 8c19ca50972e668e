import { ApiError } from '@kontoport/errors';
import { HTTP_TEXTS } from './texts.ts';

/** A position in a list: a time, then an id (UUID). */
export interface ListPosition {
  at: Date;
  id: string;
}

const POSITION_BYTES = 8 + 16;
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Encodes a position. An invented cursor leads to another position of the caller's own list. */
export function cursorOf({ at, id }: ListPosition): string {
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeBigInt64BE(BigInt(at.getTime()));
  bytes.write(id.replaceAll('-', ''), 8, 'hex');
  return bytes.toString('base64url');
}

/** Decodes a cursor, if there is one. @throws ApiError CURSOR_INVALID for one that `cursorOf` cannot have made */
export function readCursor(cursor: string | undefined): ListPosition | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder overlooks foreign characters; only the exact text is a cursor.
  const isWhole = bytes.length === POSITION_BYTES && bytes.toString('base64url') === cursor;
  const milliseconds = isWhole ? Number(bytes.readBigInt64BE()) : -1;
  if (milliseconds < 0 || milliseconds > LATEST_MS)
    throw new ApiError('CURSOR_INVALID', HTTP_TEXTS('cursor-invalid'));
  const id = bytes.toString('hex', 8).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { at: new Date(milliseconds), id };
}
