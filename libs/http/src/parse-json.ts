import { ApiError } from '@kontoport/errors';
import { faultSummary, MAX_DETAILS, MAX_PATH } from './check-shape.ts';
import { membersOf, repeatedMembers } from './repeated-members.ts';
import { SHAPE_TEXTS } from './shape-texts.ts';
import { HTTP_TEXTS } from './texts.ts';

const MAX_DEPTH = 32;

/** Parses JSON of at most 32 levels. @throws ApiError FORMAT_ERROR, also for a duplicate member */
export function parseJson(text: string): unknown {
  const { depth, members } = measure(text);
  if (depth > MAX_DEPTH)
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('json-too-deep', { levels: MAX_DEPTH }));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('json-invalid'));
  }
  // JSON.parse reads the last of two equal members; another reader may read the first (ADR-0002).
  if (membersOf(value) < members) throw fieldsTwice(repeatedMembers(text));
  return value;
}

function fieldsTwice(paths: readonly string[]): ApiError {
  const details = [...new Set(paths)].slice(0, MAX_DETAILS).map((path) => ({
    path: path.slice(0, MAX_PATH),
    text: SHAPE_TEXTS('twice'),
  }));
  return new ApiError('FORMAT_ERROR', faultSummary(details[0]!, 'body'), { details });
}

/** Counts the nesting levels of a JSON text, and the members of its objects. */
function measure(text: string): { depth: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
    else if (char === 0x3a) members++;
  }
  return { depth: deepest, members };
}
