import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { type InternalTls, rememberCertificate } from '@kontoport/internal-tls';

/** How long calls go on over a connection whose time is over. */
const GRACE_MS = 30_000;

/**
 * A TLS listener of our own before a gRPC server: it knows whom each connection is from, takes renewed certificates, and
 * ends connections when their certificates are over; calls under way then have half a minute.
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
  // Whoever hangs up here has said nothing.
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
