// A loop that signs and POSTs and does nothing else, but for a row of each delivery where a database is given.
// Arguments: how many, ports separated by commas, and the database's URL.
import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openPool } from '@kontoport/database';
import { Agent } from 'undici';
import { cpuSeconds } from './figures.ts';
import { machineMs } from './receivers.ts';

const [total, ports, url] = process.argv.slice(2) as [string, string, string?];
const IN_FLIGHT = 64;
const GATHER_MS = 40;
const origins = ports.split(',').map((port) => `http://127.0.0.1:${port}`);
const key = createSecretKey(Buffer.from('k'.repeat(32)));
const agent = new Agent({ connections: IN_FLIGHT / origins.length });
const pool = url === undefined ? undefined : openPool({ url, applicationName: 'bare', max: 2 });
await pool?.query('CREATE TABLE IF NOT EXISTS bare (id uuid PRIMARY KEY, body text, at timestamptz)');
let rows: { id: string; body: string }[] = [];

function post(origin: string): Promise<void> {
  const id = randomUUID();
  const now = new Date().toISOString();
  const data = {
    accountNumber: '12345678901234',
    ledgerPostingId: id,
    amount: { value: '1.00', currency: 'DKK', credit: true },
    postingTime: now,
  };
  const body = JSON.stringify({
    subscriptionId: 'bench',
    idempotencyKey: id,
    eventTime: now,
    eventType: 'Posting.CreatedV1',
    data,
  });
  const signature = createHmac('sha256', key).update(body).digest('hex');
  return new Promise((resolve, reject) => {
    agent.dispatch(
      {
        origin,
        path: '/',
        method: 'POST',
        headers: ['content-type', 'application/json', 'x-hmac-signature', signature],
        body,
      },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd() {
          if (pool !== undefined) rows.push({ id, body });
          resolve();
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

async function write(): Promise<void> {
  const gathered = rows;
  rows = [];
  if (gathered.length === 0) return;
  await pool!.query({
    name: 'bare',
    text: 'INSERT INTO bare SELECT id, body, now() FROM unnest($1::uuid[], $2::text[]) AS given (id, body)',
    values: [gathered.map(({ id }) => id), gathered.map(({ body }) => body)],
  });
}

async function run(count: number): Promise<void> {
  let next = 0;
  let isDone = false;
  const writing = (async () => {
    while (pool !== undefined && !isDone) {
      await pause(GATHER_MS);
      await write();
    }
  })();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < count) await post(origins[next++ % origins.length]!);
    }),
  );
  isDone = true;
  await writing;
  if (pool !== undefined) await write();
}

await run(Number(total) / 10);
process.send!('warm');
await new Promise((resolve) => process.once('message', resolve));
const [started, before] = [machineMs(), cpuSeconds(process.pid)];
await run(Number(total));
process.send!({ seconds: (machineMs() - started) / 1_000, cpu: cpuSeconds(process.pid) - before });
