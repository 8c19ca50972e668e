// Eight webhook receivers in one process: they read each body, answer 204 and count.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const RECEIVERS = 8;
let received = 0;
let last = 0;

const ports = await Promise.all(
  Array.from({ length: RECEIVERS }, async () => {
    const server = createServer((request, response) => {
      request.resume();
      request.once('end', () => {
        received += 1;
        last = Date.now();
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }),
);
process.send!({ ports });
process.on('message', (message: 'count' | 'reset') => {
  if (message === 'reset') received = 0;
  process.send!({ received, last });
});
process.on('disconnect', () => process.exit());
