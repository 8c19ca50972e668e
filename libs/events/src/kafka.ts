import { createRequire } from 'node:module';
import type { Logger } from '@kontoport/runtime';
import { Kafka, logLevel } from 'kafkajs';

interface RequestQueue {
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
}

// kafkajs 2.2.4 on Node 24: every idle connection arms a timer of 1 ms again and again (tulios/kafkajs#1751), with a
// warning and some per cent of a core each. A timer is needed only while requests wait or the broker throttles.
const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
  prototype: RequestQueue & { scheduleCheckPendingRequests(this: RequestQueue): void };
};
prototype.scheduleCheckPendingRequests = function (): void {
  if (this.throttleCheckTimeoutId) return;
  const wait = this.throttledUntil - Date.now();
  if (wait <= 0 && this.pending.length === 0) return;
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    wait > 0 ? wait : 10,
  );
};

/**
 * The Kafka client of a process; nothing is connected yet.
 * What kafkajs calls an error is mostly a retry in progress, so its lines are logged one level lower: a failure that
 * matters is logged by the relay or the consumer that it stops.
 * @param options.brokers `host:port` each
 * @param options.clientId the service
 */
export function openKafka(options: { brokers: readonly string[]; clientId: string; logger: Logger }): Kafka {
  const logger = options.logger.child({ component: 'kafkajs' });
  return new Kafka({
    brokers: [...options.brokers],
    clientId: options.clientId,
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    logLevel: logLevel.WARN,
    logCreator:
      () =>
      ({ level, namespace, log }) => {
        const { message, groupId, broker } = log as { message: string; groupId?: string; broker?: string };
        const error = typeof log.error === 'string' ? log.error : undefined;
        logger[level === logLevel.ERROR ? 'warn' : 'debug']({ namespace, groupId, broker, error }, message);
      },
  });
}
