import { ApiError, type ErrorDetail, type Text } from '@kontoport/errors';
import type { z } from 'zod';
import { type Issue, issueText } from './issue-text.ts';
import { SHAPE_TEXTS } from './shape-texts.ts';
import { HTTP_TEXTS } from './texts.ts';

/** Details of one refusal, and characters of the path in each. */
export const MAX_DETAILS = 50;
export const MAX_PATH = 200;

/** Checks a parsed value against a schema. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function checkShape<T>(schema: z.ZodType<T>, value: unknown, what: 'body' | 'query'): T {
  // The input is read for its absence only; it never leaves with the error.
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const details = result.error.issues
    .slice(0, MAX_DETAILS)
    .flatMap((issue) => detailsOf(issue, what))
    .slice(0, MAX_DETAILS);
  throw new ApiError('FORMAT_ERROR', faultSummary(details[0]!, what), { details });
}

function detailsOf(issue: Issue, what: 'body' | 'query'): (ErrorDetail & { text: Text })[] {
  const path = [...(what === 'query' ? ['query'] : []), ...issue.path.map(String)];
  const at = (more: readonly string[]): string => [...path, ...more].join('.').slice(0, MAX_PATH);
  if (issue.code !== 'unrecognized_keys') return [{ path: at([]), text: issueText(issue) }];
  return issue.keys.slice(0, MAX_DETAILS).map((key) => ({ path: at([key]), text: SHAPE_TEXTS('unknown') }));
}

/** The first fault as one sentence. */
export function faultSummary({ path, text }: { path: string; text: Text }, what: 'body' | 'query'): Text {
  if (what === 'query') return HTTP_TEXTS('query-fault-at', { path, fault: text });
  return path === ''
    ? HTTP_TEXTS('body-fault', { fault: text })
    : HTTP_TEXTS('body-fault-at', { path, fault: text });
}
