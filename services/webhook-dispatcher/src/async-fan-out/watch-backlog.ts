import type { Tx } from '@kontoport/database';
import { type Logger, Loop } from '@kontoport/lifecycle';
import { observableGauge } from '@kontoport/telemetry';
import { type FanOutBacklog, measureFanOutBacklog } from './async-fan-out.repository.ts';

const LOOK_MS = 5_000;
/** Bounds the cost of a look. */
const MAX_COUNTED = 10_000;

/** The result of the last check; undefined before the first. */
let backlog: FanOutBacklog | undefined;

observableGauge(
  {
    name: 'kontoport.webhook.fan_out_pending.events',
    help: 'Deferred events, counted once for each client; 10000 means 10000 or more.',
  },
  (observe) => {
    if (backlog !== undefined) observe(backlog.events);
  },
);

observableGauge(
  {
    name: 'kontoport.webhook.fan_out_oldest_age.seconds',
    help: 'Age of the oldest deferred event since it was recorded; 0 if there is none.',
  },
  (observe) => {
    if (backlog !== undefined) observe(backlog.oldestMs / 1_000);
  },
);

/** Measures the backlog of deferred deliveries (ADR-0034). */
export function watchFanOutBacklog({ db, logger }: { db: { management: Tx }; logger: Logger }): Loop {
  return new Loop({
    name: 'deferred deliveries left',
    everyMs: LOOK_MS,
    async work() {
      backlog = await measureFanOutBacklog(db.management, MAX_COUNTED);
    },
    finish: async () => {
      backlog = undefined;
    },
    logger,
  });
}
