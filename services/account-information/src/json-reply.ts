import type { Reply } from '@kontoport/http';

/** A 200 with JSON that is text already. */
export function jsonReply(text: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, text };
}
