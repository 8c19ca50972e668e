import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { type InternalTls, rememberCertificate } from '@kontoport/internal-tls';

/** Milliseconds for calls on a connection whose certificates expired. */
const GRACE_MS = 30_000;

/**
 * Opens a TLS listener before a gRPC server. It identifies the peer of each connection, uses renewed certificates, and
 * ends connections with expired ones after half a minute.
 */
export async function listenTls(options: {
  server: Server;
  host: string;
  port: number;
  tls: InternalTls;
}): Promise<{ port: number; close(): void }> {
  const { server, host, port, tls } = options;
  const listener = createServer({ ...tls.serverOptions(), ALPNProtocols: ['h2'] });
  tls.keep(listener, (socket, lifeMs) => serve(server, socket, lifeMs));
  listener.listen(port, host);
  await once(listener, 'listening');
  return { port: (listener.address() as AddressInfo).port, close: () => void listener.close() };
}

function serve(server: Server, socket: TLSSocket, lifeMs: number): void {
  // The peer may close the connection at any time.
  socket.on('error', () => {});
  rememberCertificate(socket);
  const connection = server.createConnectionInjector(ServerCredentials.createInsecure());
  connection.injectConnection(socket);
  const end = setTimeout(() => connection.drain(GRACE_MS), lifeMs);
  socket.once('close', () => {
    clearTimeout(end);
    connection.destroy();
  });
}
