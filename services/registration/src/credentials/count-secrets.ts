import { type Logger, Loop } from '@kontoport/lifecycle';
import { observableGauge } from '@kontoport/telemetry';
import type { Pepper } from '../clients/client-secret.model.ts';
import type { Db } from '../gen/db.ts';
import type { PepperPosition } from './credentials.model.ts';
import { countByPepper } from './credentials.repository.ts';

const EVERY_MS = 600_000;

/** The result of the last count; undefined before the first. */
let counts: Readonly<Record<PepperPosition, number>> | undefined;

observableGauge(
  {
    name: 'kontoport.client_secrets',
    help: 'Clients by the key of CLIENT_SECRET_PEPPER under which their secret is stored: first, later, unlisted or unknown.',
  },
  (observe) => {
    for (const [pepper, clients] of Object.entries(counts ?? {})) observe(clients, { pepper });
  },
);

/**
 * Counts the clients under each pepper, at the start and every ten minutes. An older pepper may be removed when it has no
 * clients left. If no client's secret is under a listed pepper, the list belongs to another database: a process that has never
 * counted anything else is not ready, so that its rollout stops.
 */
export function countSecrets(deps: { db: Db; peppers: readonly Pepper[]; logger: Logger }): {
  loop: Loop;
  readiness(): string | undefined;
} {
  const { db, logger } = deps;
  const listed = deps.peppers.map(({ id }) => hex(id));
  let state: string | undefined = 'the secrets of clients have not been counted';
  const loop = new Loop({
    name: 'client secrets',
    everyMs: EVERY_MS,
    retryMs: { first: 1_000, longest: 5_000 },
    async work() {
      const clients = { first: 0, later: 0, unlisted: 0, unknown: 0 };
      for (const { pepperId, clients: counted } of await countByPepper(db))
        clients[positionOf(pepperId, listed)] += counted;
      counts = clients;
      const { first, later, unlisted, unknown } = clients;
      if (unlisted === 0 || first + later + unknown > 0) state = undefined;
      else if (state !== undefined)
        state = 'CLIENT_SECRET_PEPPER is not what the secrets of clients are under';
      const facts = { ...clients, pepper: listed[0] };
      if (unlisted > 0)
        logger.warn(
          facts,
          'CLIENT_SECRET_PEPPER lacks what the secrets of clients are under: list it, too, or they have to register again',
        );
      else logger.info(facts, 'client secrets counted');
    },
    finish: async () => {
      counts = undefined;
    },
    logger,
  });
  return { loop, readiness: () => state };
}

function positionOf(pepperId: Uint8Array | null, listed: readonly string[]): PepperPosition {
  if (pepperId === null) return 'unknown';
  const at = listed.indexOf(hex(pepperId));
  if (at === -1) return 'unlisted';
  return at === 0 ? 'first' : 'later';
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
