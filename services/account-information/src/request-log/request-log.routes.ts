import { type Route, route } from '@kontoport/gate';
import type { Db } from '../gen/db.ts';
import { findRequests } from './logged-request.repository.ts';
import {
  logRequest,
  logToWire,
  requestLogAnswer,
  requestLogExample,
  requestLogQuery,
} from './request-log.wire.ts';

/** Reads the request log of the caller's organization (§Sandbox). */
export function requestLogRoutes({ db }: { db: Db }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sandbox/requests',
      clause: '§Sandbox',
      summary: 'List the last requests of the organization, newest first',
      description:
        'The last 1,000 requests over its certificates at all addresses, accepted and refused, at most 30 days old. A request ' +
        'appears within a second or two. The log has no bodies, account numbers, tokens or query values. Requests of this list ' +
        'itself are left out.',
      security: { kind: 'token' },
      query: requestLogQuery,
      answers: {
        200: { description: 'A page of the log.', json: requestLogAnswer, example: requestLogExample },
      },
      refusals: ['CURSOR_INVALID'],
      handler: async ({ principal, query }) => {
        const { identifier } = principal.certificate.organization;
        return { status: 200, json: logToWire(await findRequests(db.prisma, identifier, logRequest(query))) };
      },
    }),
  ];
}
