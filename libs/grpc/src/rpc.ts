import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { ServiceIdentity } from '@kontoport/internal-tls';

/** A generated service with its implementation. */
export interface Rpc {
  definition: ServiceDefinition;
  /** The allowed callers of each method. Without internal TLS callers are unknown, and network policies decide. */
  allowedCallers?: Readonly<Record<string, readonly ServiceIdentity[]>>;
  implementation: UntypedServiceImplementation;
  /** Ends endless streams before the server waits for them. Afterwards no stream may begin. */
  close?(): Promise<void>;
}

/** Declares an `Rpc` that names the allowed callers of every method. */
export function defineRpc<Definition extends ServiceDefinition>(
  rpc: Omit<Rpc, 'definition' | 'allowedCallers'> & {
    definition: Definition;
    allowedCallers: Readonly<Record<keyof Definition & string, readonly ServiceIdentity[]>>;
  },
): Rpc {
  return rpc;
}
