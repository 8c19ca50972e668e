import {
  type ServerDuplexStream,
  type ServerUnaryCall,
  status,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { isAllowed, peerIdentities } from '@kontoport/internal-tls';
import type { Logger } from '@kontoport/lifecycle';
import type { Rpc } from './rpc.ts';

type Incoming = ServerUnaryCall<unknown, unknown> | ServerDuplexStream<unknown, unknown>;
type Handler = (call: Incoming, callback?: (error: object) => void) => void;

/** Wraps an implementation: each method refuses every caller that it does not allow. A method that allows none refuses all. */
export function restrictCallers({ rpc, logger }: { rpc: Rpc; logger: Logger }): UntypedServiceImplementation {
  const { definition, allowedCallers = {}, implementation } = rpc;
  const guarded = (method: string): UntypedHandleCall => {
    const handle = implementation[method] as Handler;
    const handler: Handler = (call, callback) => {
      const names = peerIdentities(call.getAuthContext().sslPeerCertificate);
      if (isAllowed(names, allowedCallers[method])) return handle(call, callback);
      logger.warn({ method: call.getPath(), peer: [...names] }, 'rpc refused: caller not allowed');
      const refusal = { code: status.PERMISSION_DENIED, details: 'caller not allowed' };
      if (callback === undefined) call.emit('error', refusal);
      else callback(refusal);
    };
    return handler as UntypedHandleCall;
  };
  return Object.fromEntries(Object.keys(definition).map((method) => [method, guarded(method)]));
}
