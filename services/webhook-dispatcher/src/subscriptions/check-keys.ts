import { lookOver, type SealingKeys, type Tx } from '@kontoport/database';
import { type Logger, Loop } from '@kontoport/lifecycle';
import { observableGauge } from '@kontoport/telemetry';
import { SUBSCRIPTION_KEYS } from './sealed-keys.repository.ts';

const EVERY_MS = 600_000;

/** The result of the last check; undefined before the first. */
let closedKeys: number | undefined;

observableGauge(
  {
    name: 'kontoport.webhook.undecryptable_keys',
    help: 'Subscription keys in the database that no key of SECRETS_KEY decrypts: their subscriptions get no webhooks.',
  },
  (observe) => {
    if (closedKeys !== undefined) observe(closedKeys);
  },
);

/**
 * Checks at the start and every ten minutes that the keys of all subscriptions can be decrypted, and logs when they cannot: a key was
 * removed from SECRETS_KEY too early. A process that has never decrypted all is not ready, so that its rollout stops; one that has
 * stays ready, whatever keys others use.
 */
export function checkKeys({ db, keys, logger }: { db: Tx; keys: SealingKeys; logger: Logger }): {
  loop: Loop;
  readiness(): string | undefined;
} {
  let state: string | undefined = 'the keys of subscriptions have not been looked at';
  const loop = new Loop({
    name: 'subscription keys',
    everyMs: EVERY_MS,
    retryMs: { first: 1_000, longest: 60_000 },
    async work() {
      const { rows, closed } = await lookOver(db, { table: SUBSCRIPTION_KEYS, keys });
      closedKeys = closed;
      if (closed === 0) state = undefined;
      else if (state !== undefined) state = 'SECRETS_KEY does not open the keys of all subscriptions';
      if (closed > 0)
        logger.error(
          { closed, of: rows },
          'SECRETS_KEY cannot decrypt some subscription keys: add the earlier key to the list until `reseal` exits with 0',
        );
    },
    finish: async () => {
      closedKeys = undefined;
    },
    logger: logger.child({ component: 'dispatcher' }),
  });
  return { loop, readiness: () => state };
}
