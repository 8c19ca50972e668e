// A loop that signs and POSTs, writes a row of each delivery, and does nothing else.
// Arguments: how many, the URL of the database, and ports separated by commas.
import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openPool } from '@kontoport/database';
import { Agent } from 'undici';
import { inParallel } from './load.ts';

const [total, url, ports] = process.argv.slice(2) as [string, string, string];
const UNDER_WAY = 64;
const GATHER_MS = 40;
const origins = ports.split(',').map((port) => `http://127.0.0.1:${port}`);
const key = createSecretKey(Buffer.from('k'.repeat(32)));
const agent = new Agent({ connections: UNDER_WAY / origins.length });
const pool = openPool({ url, applicationName: 'bare', max: 2 });
await pool.query('CREATE TABLE bare (id uuid PRIMARY KEY, body text, at timestamptz)');
let rows: { id: string; body: string }[] = [];

async function post(origin: string): Promise<void> {
  const id = randomUUID();
  const now = new Date().toISOString();
  const body = JSON.stringify({
    subscriptionId: 'bench',
    idempotencyKey: id,
    eventTime: now,
    eventType: 'Posting.CreatedV1',
    data: {
      accountNumber: '12345678901234',
      ledgerPostingId: id,
      amount: { value: '1.00', currency: 'DKK', credit: true },
      postingTime: now,
    },
  });
  const signature = createHmac('sha256', key).update(body).digest('hex');
  // Undici's fastest way, as a loop that is written for speed alone would take.
  await new Promise<void>((resolve, reject) => {
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
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
  rows.push({ id, body });
}

async function write(): Promise<void> {
  const gathered = rows;
  rows = [];
  if (gathered.length === 0) return;
  await pool.query({
    name: 'bare',
    text: 'INSERT INTO bare SELECT id, body, now() FROM unnest($1::uuid[], $2::text[]) AS given (id, body)',
    values: [gathered.map(({ id }) => id), gathered.map(({ body }) => body)],
  });
}

async function run(count: number): Promise<void> {
  let isDone = false;
  const writing = (async () => {
    while (!isDone) {
      await pause(GATHER_MS);
      await write();
    }
  })();
  await inParallel(count, UNDER_WAY, (index) => post(origins[index % origins.length]!));
  isDone = true;
  await writing;
  await write();
}

await run(Number(total) / 10);
process.send!('warm');
await new Promise((resolve) => process.once('message', resolve));
await run(Number(total));
process.send!('done');
