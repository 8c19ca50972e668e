import type { Reply } from '@kontoport/http';

/** A 200 with JSON that is text already. */
export function jsonReply(jsonText: string): Reply {
  return { status: 200, jsonText };
}
