// Eight webhook receivers in one process. They verify the signature of each body, answer 204 and note the time.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An order of the bench: the keys, or to forget everything. Every order is answered with a report. */
export interface ReceiversOrder {
  keys?: readonly string[];
  reset?: boolean;
}

export interface ReceiversReport {
  received: number;
  invalid: number;
  /** The time of each posting's first delivery, by its id. */
  times?: [postingId: string, at: number][];
}

/** Milliseconds of a clock that all processes of the machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const RECEIVERS = 8;

function serve(): void {
  let keys: KeyObject[] = [];
  let [received, invalid] = [0, 0];
  const times = new Map<string, number>();

  const note = (at: number, body: Buffer, signature: unknown): void => {
    received += 1;
    const key = keys[at];
    if (key !== undefined && createHmac('sha256', key).update(body).digest('hex') !== signature) invalid += 1;
    const id = /"ledgerPostingId":"([^"]+)"/.exec(body.toString())?.[1];
    if (id !== undefined && !times.has(id)) times.set(id, machineMs());
  };

  const start = async (at: number): Promise<number> => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        note(at, Buffer.concat(chunks), request.headers['x-hmac-signature']);
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  process.on('message', (order: ReceiversOrder | 'times') => {
    if (order === 'times') return void process.send!({ received, invalid, times: [...times] });
    if (order.keys) keys = order.keys.map((key) => createSecretKey(Buffer.from(key)));
    if (order.reset) {
      received = 0;
      times.clear();
    }
    process.send!({ received, invalid });
  });
  process.on('disconnect', () => process.exit());
  void Promise.all(Array.from({ length: RECEIVERS }, (_, at) => start(at))).then((ports) =>
    process.send!({ ports }),
  );
}

if (process.argv[1] === import.meta.filename) serve();
