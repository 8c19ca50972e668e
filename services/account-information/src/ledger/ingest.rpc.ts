import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { ApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import type { IngestRequest, IngestResponse } from '@kontoport/proto/accounts/v1';
import { activeTraceparent, withTrace } from '@kontoport/telemetry';
import { TEXTS } from '../texts.ts';
import { IngestStream } from './ingest-stream.rpc.ts';
import type { Ledger } from './ledger.ts';

/** Serves the streams of the bank's feed, up to a maximum of concurrent ones. */
export function ingestRpc(deps: {
  logger: Logger;
  ledger: Ledger;
  ingest: { streams: number; idleMs: number };
}): { ingest: handleBidiStreamingCall<IngestRequest, IngestResponse>; close(): Promise<void> } {
  const { logger, ledger, ingest } = deps;
  const open = new Set<IngestStream>();
  return {
    ingest(call) {
      const [given] = call.metadata.get('traceparent');
      withTrace(given?.toString(), () => {
        if (open.size >= ingest.streams) {
          call.emit(
            'error',
            toServiceError(new ApiError('RATE_LIMITED', TEXTS('ingest-streams', { most: ingest.streams }))),
          );
          return;
        }
        const started = performance.now();
        const { idleMs } = ingest;
        const stream = new IngestStream(call, { ledger, traceparent: activeTraceparent(), idleMs });
        open.add(stream);
        void stream.ended.then(({ entries, refused, fault }) => {
          open.delete(stream);
          logger.info(
            {
              method: call.getPath(),
              milliseconds: Math.round(performance.now() - started),
              entries,
              refused,
              outcome: fault?.code ?? 'ok',
            },
            'rpc',
          );
        });
      });
    },
    async close() {
      for (const stream of open) stream.close();
      await Promise.all([...open].map(({ ended }) => ended));
    },
  };
}
