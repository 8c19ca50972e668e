import { ERROR_CODES, rule } from '@kontoport/errors';
import { cursorOf, instant, pageOfList, readCursor, uuid } from '@kontoport/http';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import type { LoggedRequest, LogPage, LogRequest } from './logged-request.model.ts';

/** The query of `GET /sandbox/requests`. */
export const requestLogQuery = z.strictObject({
  status: z
    .string()
    .regex(/^[1-5](?:xx|\d\d)$/, rule(TEXTS('status-filter')))
    .optional()
    .meta({ description: 'A status, such as 401, or a class, such as 4xx.', param: { example: '4xx' } }),
  requestId: z.string().max(128).optional().meta({ description: 'The `X-Request-Id` of the answer.' }),
  clientId: uuid.optional().meta({ description: 'Only requests of this client.' }),
  since: instant('down')
    .optional()
    .meta({
      description:
        'Only requests at or after it. A date, which means 12:00 on that day, or a date-time; UTC if it has no zone.',
      param: { example: '2026-11-21T12:00:00Z' },
    }),
  ...pageOfList('requests'),
});

/** @throws ApiError CURSOR_INVALID */
export function logRequest(query: z.output<typeof requestLogQuery>): LogRequest {
  const { status, since, cursor, ...rest } = query;
  return {
    ...rest,
    status: status === undefined ? undefined : boundsOf(status),
    since: since === undefined ? undefined : new Date(since),
    after: readCursor(cursor),
  };
}

const boundsOf = (status: string) => ({
  from: Number(status.replace('xx', '00')),
  to: Number(status.replace('xx', '99')),
});

const requestAnswer = z.object({
  id: z.guid().meta({ description: 'Identifies the entry of the log.' }),
  time: z.iso.datetime({ precision: 3 }).meta({ description: 'The arrival of the request.' }),
  requestId: z.string().meta({ description: 'The `X-Request-Id` of the answer.' }),
  clientId: z
    .guid()
    .optional()
    .meta({ description: 'Absent if neither a token nor credentials of a client were accepted.' }),
  method: z.string().meta({ description: 'The method.' }),
  route: z.string().meta({ description: 'The path as the OpenAPI document declares it.' }),
  status: z.int().meta({ description: 'The status of the answer.' }),
  milliseconds: z.int().meta({ description: 'The duration of the call.' }),
  refusal: z
    .object({
      errorCode: z.string().meta({ description: 'The code of the refusal.' }),
      message: z.string().meta({
        description:
          'The message of the answer in English, or the cause of the errorCode if the message names a member that the interface does not declare.',
      }),
      cure: z.string().meta({ description: 'The remedy of the caller, in English.' }),
      explanation: z
        .string()
        .meta({ description: 'The path of the page of the errorCode, at every address.' }),
    })
    .optional()
    .meta({ description: 'Absent if the request was accepted.' }),
});

/** Answer to `GET /sandbox/requests`. */
export const requestLogAnswer = z
  .object({
    requests: z.array(requestAnswer).meta({ description: 'The requests of this page, newest first.' }),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'The cursor of the next page; absent from the last one.' }),
  })
  .meta({ id: 'SandboxRequests' });

/** Converts a page of the log to its wire format. */
export function logToWire({ requests, next }: LogPage): z.input<typeof requestLogAnswer> {
  return {
    requests: requests.map(requestToWire),
    ...(next === undefined ? {} : { nextCursor: cursorOf(next) }),
  };
}

function requestToWire(request: LoggedRequest): z.input<typeof requestAnswer> {
  const { id, at, requestId, clientId, method, route, status, milliseconds, errorCode, message } = request;
  return {
    id,
    time: at.toISOString(),
    requestId,
    ...(clientId === null ? {} : { clientId }),
    method,
    route: route.replaceAll(/:(\w+)/g, '{$1}'),
    status,
    milliseconds,
    ...(errorCode === null || message === null
      ? {}
      : {
          refusal: {
            errorCode,
            message,
            cure: ERROR_CODES[errorCode].cure.en,
            explanation: `/errors/${errorCode}`,
          },
        }),
  };
}

export const requestLogExample: z.input<typeof requestLogAnswer> = {
  requests: [
    {
      id: '5d0c2a4e-8f0b-4c55-9b7e-0f6f1d3a2b90',
      time: '2026-11-21T12:00:01.250Z',
      requestId: '3b9f7c52-7a51-4f0e-9a34-5a0a3d1c2b4e',
      method: 'GET',
      route: '/accounts/{accountId}/transactions',
      status: 401,
      milliseconds: 2,
      refusal: {
        errorCode: 'TOKEN_EXPIRED',
        message: 'The access token has expired; obtain a new one.',
        cure: ERROR_CODES.TOKEN_EXPIRED.cure.en,
        explanation: '/errors/TOKEN_EXPIRED',
      },
    },
  ],
};
