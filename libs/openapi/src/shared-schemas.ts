import { ERROR_CODES, type ErrorCode } from '@kontoport/errors';
import { problemType } from '@kontoport/http/errors';
import { z } from 'zod';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const requestId = z.string().meta({
  description: 'The `X-Request-Id` of the call, or a generated one.',
});

const details = z
  .array(
    z.object({
      path: z.string().meta({ description: 'The faulty part: `amount`, `draftIds.2`, `query.limit`.' }),
      message: z.string().meta({ description: 'The fault, in English.' }),
    }),
  )
  .optional()
  .meta({ description: 'The faults of the input, if there are any.' });

const errorCode = z.string().meta({ description: 'One of a closed list; never changes its meaning.' });

const message = z.string().meta({
  description:
    'For people: the fault, in English. In another language the translated sentence of the code comes first.',
});

/** The body of every refusal (§7). */
export const errorSchema = z
  .object({
    errorCode,
    message,
    requestId,
    details,
  })
  .meta({ id: 'Error', description: 'A refusal (§7).' });

/** The error as RFC 9457, for callers whose Accept prefers it. */
export const problemSchema = z
  .object({
    // A caller that knows the older value must accept new ones (§9.4); no value is removed.
    type: z.enum(['about:blank', ...CODES.map(problemType)]).meta({
      description: "The path of the error code's page, at the address that was called.",
    }),
    title: z.string().meta({ description: 'The name of the status.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'The same as `message`.' }),
    errorCode,
    message,
    requestId,
    details,
  })
  .meta({ id: 'Problem', description: 'A refusal in the form of RFC 9457.' });

/** The error of the token endpoint (RFC 6749 §5.2). */
export const oauthErrorSchema = z
  .object({
    error: z.string().meta({ description: 'One of the codes of RFC 6749.' }),
    error_description: z.string().meta({ description: 'For people; ASCII.' }),
  })
  .meta({ id: 'OAuthError', description: 'A refusal of the token endpoint (RFC 6749 §5.2).' });
