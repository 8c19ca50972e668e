import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { ServiceIdentity } from '@kontoport/internal-tls';

/** A generated service with the code that answers it. */
export interface Rpc {
  definition: ServiceDefinition;
  /** The only callers of each method. Without internal TLS callers are unknown, and network policies decide. */
  allowedCallers?: Readonly<Record<string, readonly ServiceIdentity[]>>;
  implementation: UntypedServiceImplementation;
  /** Ends streams that would not end by themselves, before the server waits for them; afterwards none may begin. */
  close?(): Promise<void>;
}

/** Types an `Rpc` that names the allowed callers of every method. */
export function defineRpc<Definition extends ServiceDefinition>(
  rpc: Omit<Rpc, 'definition' | 'allowedCallers'> & {
    definition: Definition;
    allowedCallers: Readonly<Record<keyof Definition & string, readonly ServiceIdentity[]>>;
  },
): Rpc {
  return rpc;
}
