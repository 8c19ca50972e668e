import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { credentials } from '@grpc/grpc-js';
import { openPool } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { type IngestResponse, LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { addAccounts, openBank, postgresPid } from './bank.ts';
import { bareRate } from './bare.ts';
import { cpuSeconds, familySeconds, type Figure, type Options, percentile, ratios } from './harness.ts';
import { inParallel } from './load.ts';

const CALLERS = 48;
const ACCOUNTS = 1_000;
const POSTS = 10_000;
const STREAMED = 30_000;
/** Postings of a message of the stream. */
const MESSAGE = 200;

/**
 * Ledger.Post and Ledger.Ingest: postings a processor second of the service and PostgreSQL, event and relay included,
 * beside a loop that writes each posting in a transaction of its own.
 */
export async function benchLedger({ rounds }: Options): Promise<Figure[]> {
  const bank = await openBank();
  const url = await bank.database('account-information');
  const { pid, grpcAddress } = await bank.start('account-information', url);
  const [accounts, server] = [await addAccounts(url, ACCOUNTS), await postgresPid(url)];
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const client = new LedgerServiceClient(grpcAddress, credentials.createInsecure());
  /** Runs a load until its last event has left. @returns postings a processor second */
  const perCpuSecond = async (postings: number, load: () => Promise<void>): Promise<number> => {
    const before = cpuSeconds(pid) + familySeconds(server);
    await load();
    await until(async () => (await pool.query('SELECT FROM outbox LIMIT 1')).rowCount === 0, {
      what: 'the outbox to be empty',
      timeout: 600_000,
    });
    return postings / (cpuSeconds(pid) + familySeconds(server) - before);
  };
  try {
    const milliseconds: number[] = [];
    const post = (index: number): Promise<void> => {
      const started = performance.now();
      return new Promise((resolve, reject) => {
        client.post(postingOn(accounts[index % ACCOUNTS]!), (error) => {
          milliseconds.push(performance.now() - started);
          if (error) reject(error);
          else resolve();
        });
      });
    };
    const [bare, posts, streamed]: [number[], number[], number[]] = [[], [], []];
    const bareUrl = await bank.database('account-information');
    await addAccounts(bareUrl, ACCOUNTS);
    await inParallel(POSTS / 2, CALLERS, post);
    await stream(client, { accounts, postings: STREAMED / 2 });
    for (let round = 0; round < rounds; round++) {
      bare.push(await bareRate({ file: 'bare-ledger.ts', args: [], url: bareUrl, units: POSTS / 2 }));
      posts.push(await perCpuSecond(POSTS, () => inParallel(POSTS, CALLERS, post)));
      streamed.push(await perCpuSecond(STREAMED, () => stream(client, { accounts, postings: STREAMED })));
    }
    return [
      {
        what: `Ledger.Post a CPU-second, ${CALLERS} callers`,
        values: posts,
        decimals: 0,
      },
      {
        what: 'Ledger.Post, ratio to the bare loop',
        values: ratios(posts, bare),
        budget: { atLeast: 1.3 },
      },
      { what: 'Ledger.Post, p50', values: [percentile(milliseconds, 50)], decimals: 1, unit: 'ms' },
      { what: 'Ledger.Post, p99', values: [percentile(milliseconds, 99)], decimals: 1, unit: 'ms' },
      {
        what: 'Ledger.Ingest, a second of two cores',
        values: streamed.map((each) => 2 * each),
        decimals: 0,
      },
      {
        what: 'Ledger.Ingest a CPU-second, ratio to the bare loop',
        values: ratios(streamed, bare),
        budget: { atLeast: 3.8 },
      },
      { what: 'bare loop, a transaction each, a CPU-second', values: bare, decimals: 0 },
    ];
  } finally {
    client.close();
    await pool.end();
    await bank.close();
  }
}

function postingOn(accountId: string): PostRequest {
  return PostRequest.fromPartial({
    transactionId: randomUUID(),
    accountId,
    amount: { value: '-1.00', currency: 'DKK' },
    title: 'Bench',
    type: 'domesticCreditTransfer',
    message: 'A posting of the bench',
    recipientBban: '12345678901234',
    requireFunds: true,
  });
}

/** Sends one stream of postings; resolves when all are answered. */
async function stream(
  client: LedgerServiceClient,
  { accounts, postings }: { accounts: readonly string[]; postings: number },
): Promise<void> {
  const call = client.ingest();
  let answered = 0;
  call.on('data', ({ results }: IngestResponse) => {
    answered += results.length;
    const refused = results.find(({ refusal }) => refusal !== undefined);
    if (refused) call.destroy(new Error(refused.refusal!.message));
  });
  const ended = once(call, 'end');
  for (let first = 0; first < postings; first += MESSAGE) {
    const entries = Array.from({ length: MESSAGE }, (_, at) => ({
      number: BigInt(first + at + 1),
      entry: {
        $case: 'post' as const,
        value: { ...postingOn(accounts[(first + at) % accounts.length]!), reference: '' },
      },
    }));
    if (!call.write({ entries })) await once(call, 'drain');
  }
  call.end();
  await ended;
  if (answered !== postings) throw new Error(`${answered} of ${postings} answered`);
}
