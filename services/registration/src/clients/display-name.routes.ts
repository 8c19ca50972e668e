import type { QueuedLimiter } from '@kontoport/fairness';
import { route, type Route } from '@kontoport/gate';
import type { Logger } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { changeDisplayName } from './change-display-name.ts';
import { findDisplayNames } from './client-changes.repository.ts';
import { clientUnknown } from './client.model.ts';
import {
  displayNameBody,
  displayNameExample,
  displayNamesAnswer,
  displayNamesExample,
  ownClient,
} from './client.wire.ts';

/** The display name of a client, which users read when they consent (§2.1, §4.2). */
export function displayNameRoutes(deps: {
  db: Db;
  hub: { wake(): void };
  logger: Logger;
  changes: QueuedLimiter;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tpp/:clientId/display-name',
      clause: ['§4.2', '§2.1', '§5.5'],
      summary: 'Read the display name of the client',
      security: { kind: 'token' },
      ...ownClient,
      answers: {
        200: {
          description: 'The name, and the names to which it may be changed.',
          json: displayNamesAnswer,
          example: displayNamesExample,
        },
      },
      handler: async ({ resource: clientId, now }) => {
        const names = await findDisplayNames(deps.db, { clientId, now });
        if (!names) throw clientUnknown();
        const { displayName, available } = names;
        return { status: 200, json: { displayName, availableDisplayNames: available } };
      },
    }),
    route({
      method: 'PUT',
      path: '/tpp/:clientId/display-name',
      clause: ['§4.2', '§2.1', '§5.5'],
      summary: 'Choose the display name of the client',
      description: 'One of `availableDisplayNames`: the name of an unexpired certificate chain.',
      security: { kind: 'token' },
      ...ownClient,
      body: { json: displayNameBody, example: displayNameExample },
      answers: {
        200: { description: 'The present name.', json: displayNameBody, example: displayNameExample },
      },
      refusals: ['RATE_LIMITED'],
      handler: async ({ principal, resource: clientId, body, now, signal }) => {
        const change = () => changeDisplayName(deps, { clientId, ...body, now, signal });
        await deps.changes.run(principal.certificate.organization.identifier, change, { signal });
        return { status: 200, json: body };
      },
    }),
  ];
}
