// [CERTIFICATE KEY]: eight webhook receivers in one process, over TLS with those files. They verify each body's signature,
// answer 204 and note when it came.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What the bench tells them: the key of each, whether to say at once what came, and which of them takes its time. */
export interface ReceiversOrder {
  keys?: readonly string[];
  announces?: boolean;
  slow?: { at: number; milliseconds: number } | null;
  /** Forget what came. */
  reset?: boolean;
  /** When each posting came is wanted, too. */
  times?: boolean;
}

/** What they answer. Times are milliseconds of the machine's monotonic clock. */
export interface ReceiversReport {
  /** By receiver. */
  received: number[];
  invalid: number;
  last: number;
  /** Made since the start. */
  connections: number;
  times?: [postingId: string, at: number][];
}

/** Milliseconds of a clock that all processes of the machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const RECEIVERS = 8;

function serve(): void {
  const [certificate, privateKey] = process.argv.slice(2);
  let keys: KeyObject[] = [];
  let announces = false;
  let slow: ReceiversOrder['slow'] = null;
  let invalid = 0;
  let last = 0;
  let connections = 0;
  const received = Array.from({ length: RECEIVERS }, () => 0);
  const times = new Map<string, number>();

  const take = (at: number, body: Buffer, signature: unknown): void => {
    last = machineMs();
    received[at]! += 1;
    const key = keys[at];
    if (key !== undefined && createHmac('sha256', key).update(body).digest('hex') !== signature) invalid += 1;
    const id = /"ledgerPostingId":"([^"]+)"/.exec(body.toString())?.[1];
    if (id === undefined) return;
    if (!times.has(id)) times.set(id, last);
    if (announces) process.send!({ came: id });
  };

  const start = async (at: number): Promise<number> => {
    const listener: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        take(at, Buffer.concat(chunks), request.headers['x-hmac-signature']);
        const answer = (): void => void response.writeHead(204).end();
        if (slow?.at === at) setTimeout(answer, slow.milliseconds);
        else answer();
      });
    };
    const isTls = certificate !== undefined && privateKey !== undefined;
    const server = isTls
      ? createTlsServer({ cert: readFileSync(certificate), key: readFileSync(privateKey) }, listener)
      : createServer(listener);
    server.on(isTls ? 'secureConnection' : 'connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  process.on('message', (order: ReceiversOrder) => {
    if (order.keys) keys = order.keys.map((key) => createSecretKey(Buffer.from(key)));
    announces = order.announces ?? announces;
    if (order.slow !== undefined) slow = order.slow;
    if (order.reset) {
      received.fill(0);
      times.clear();
    }
    const report: ReceiversReport = { received, invalid, last, connections };
    if (order.times) report.times = [...times];
    process.send!({ report });
  });
  process.on('disconnect', () => process.exit());
  void Promise.all(received.map((_, at) => start(at))).then((ports) => process.send!({ ports }));
}

if (process.argv[1] === import.meta.filename) serve();
