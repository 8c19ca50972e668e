import {
  type ServerDuplexStream,
  type ServerUnaryCall,
  status,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { isOneOf, peerOf } from '@kontoport/internal-tls';
import type { Logger } from '@kontoport/lifecycle';
import type { Rpc } from './server.ts';

type Incoming = ServerUnaryCall<unknown, unknown> | ServerDuplexStream<unknown, unknown>;
type Handler = (call: Incoming, callback?: (error: object) => void) => void;

/** The implementation, each method for its own peers alone; one that names none is for nobody. */
export function forPeers({ rpc, logger }: { rpc: Rpc; logger: Logger }): UntypedServiceImplementation {
  const { definition, peers = {}, implementation } = rpc;
  const guarded = (method: string): UntypedHandleCall => {
    const handle = implementation[method] as Handler;
    const handler: Handler = (call, callback) => {
      const names = peerOf(call.getAuthContext().sslPeerCertificate);
      if (isOneOf(names, peers[method])) return handle(call, callback);
      logger.warn(
        { method: call.getPath(), peer: [...names] },
        'rpc refused: its caller is none of its peers',
      );
      const refusal = { code: status.PERMISSION_DENIED, details: 'not a peer of this rpc' };
      if (callback === undefined) call.emit('error', refusal);
      else callback(refusal);
    };
    return handler as UntypedHandleCall;
  };
  return Object.fromEntries(Object.keys(definition).map((method) => [method, guarded(method)]));
}
