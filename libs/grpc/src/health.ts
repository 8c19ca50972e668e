import { type handleUnaryCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@kontoport/proto/health/v1';
import type { Rpc } from './rpc.ts';

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** The name of the whole server, the only known one. */
const WHOLE_SERVER = '';

/** The health of a gRPC server (package grpc.health.v1): SERVING until it drains. */
export class Health {
  readonly #watchers = new Set<Watcher>();
  #status: ServingStatus = ServingStatus.SERVING;

  /** Serves `grpc.health.v1.Health`. */
  readonly rpc: Pick<Rpc, 'definition' | 'implementation'> = {
    definition: HealthService,
    implementation: {
      check: ((call, callback) => {
        if (call.request.service === WHOLE_SERVER) callback(null, { status: this.#status });
        else callback({ code: status.NOT_FOUND, details: 'unknown service' });
      }) satisfies handleUnaryCall<HealthCheckRequest, HealthCheckResponse>,
      watch: (call: Watcher) => this.#watch(call),
    },
  };

  /** Reports NOT_SERVING to all watchers and ends their streams. */
  drain(): void {
    this.#status = ServingStatus.NOT_SERVING;
    for (const watcher of this.#watchers) {
      watcher.write({ status: this.#status });
      watcher.end();
    }
    this.#watchers.clear();
  }

  #watch(call: Watcher): void {
    const known = call.request.service === WHOLE_SERVER;
    call.write({ status: known ? this.#status : ServingStatus.SERVICE_UNKNOWN });
    if (this.#status === ServingStatus.NOT_SERVING) {
      call.end();
      return;
    }
    this.#watchers.add(call);
    call.on('close', () => this.#watchers.delete(call));
    call.on('cancelled', () => this.#watchers.delete(call));
  }
}
