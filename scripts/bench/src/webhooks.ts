import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { until } from '@kontoport/embedded/wait';
import { LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { Agent } from 'undici';
import { openBank } from './bench-bank.ts';
import { cpuSeconds } from './figures.ts';
import { count, subscribe } from './webhook-parts.ts';

const EVENTS = 20_000;
const POSTERS = 48;
const BARE_IN_FLIGHT = 64;

interface Account {
  id: string;
  currency: string;
}

/** Runs `task` for 0 … total-1, so many at a time. */
async function inParallel(
  total: number,
  width: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < total) await task(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** The same number of signed POSTs from a loop that does nothing else: deliveries per second. */
async function bareLoop(ports: readonly number[], receivers: ChildProcess): Promise<number> {
  const agent = new Agent({ connections: BARE_IN_FLIGHT / ports.length });
  const key = createSecretKey(Buffer.from('k'.repeat(32)));
  const body = Buffer.from(
    JSON.stringify({
      subscriptionId: 'bench',
      idempotencyKey: randomUUID(),
      eventTime: new Date().toISOString(),
      eventType: 'Posting.CreatedV1',
      data: {
        accountNumber: '12345678901234',
        ledgerPostingId: randomUUID(),
        amount: { value: '1.00', currency: 'DKK', credit: true },
        postingTime: new Date().toISOString(),
      },
    }),
  );
  await count(receivers, 'reset');
  const started = performance.now();
  await inParallel(EVENTS, BARE_IN_FLIGHT, async (index) => {
    const response = await agent.request({
      origin: `http://127.0.0.1:${ports[index % ports.length]}`,
      path: '/',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-hmac-signature': createHmac('sha256', key).update(body).digest('hex'),
      },
      body,
    });
    await response.body.dump();
  });
  const seconds = (performance.now() - started) / 1_000;
  await agent.close();
  return EVENTS / seconds;
}

/** Deliveries per second, 8 receivers, 20,000 events from Ledger.Post; and where the time goes. */
export async function benchWebhooks(): Promise<void> {
  const receivers = fork(join(import.meta.dirname, 'receivers.ts'));
  const bank = await openBank();
  try {
    const [{ ports }] = (await once(receivers, 'message')) as [{ ports: number[] }];
    const dispatcherDatabase = await bank.database('webhook-dispatcher');
    const accountInformation = await bank.start(
      'account-information',
      await bank.database('account-information'),
    );
    const first = await bank.start('webhook-dispatcher', dispatcherDatabase);

    const accounts: Account[] = [];
    for (const port of ports) {
      const tpp = await bank.peers.addTpp();
      await subscribe({ origin: first.origin, tpp, callbackUrl: `http://127.0.0.1:${port}/` });
      const headers = await tpp.headers();
      const response = await fetch(`${accountInformation.origin}/accounts`, { headers });
      accounts.push(...((await response.json()) as { accounts: Account[] }).accounts.slice(0, 4));
    }
    // The events are posted while the dispatcher is away, so that its own speed shows when it comes back.
    await first.process.kill();

    const ledger = new LedgerServiceClient(accountInformation.grpcAddress, credentials.createInsecure());
    const posting = performance.now();
    await inParallel(EVENTS, POSTERS, (index) => {
      const { id, currency } = accounts[index % accounts.length]!;
      const request = PostRequest.fromPartial({
        transactionId: randomUUID(),
        accountId: id,
        amount: { value: '1.00', currency },
        title: 'Bench',
        type: 'domesticCreditTransfer',
        recipientBban: '12345678901234',
      });
      return new Promise((resolve, reject) => {
        ledger.post(request, (error) => (error ? reject(error) : resolve()));
      });
    });
    const postingSeconds = (performance.now() - posting) / 1_000;
    ledger.close();

    await count(receivers, 'reset');
    const start = Date.now();
    const dispatcher = await bank.start('webhook-dispatcher', dispatcherDatabase);
    const ready = Date.now();
    const done = await until(
      async () => {
        const now = await count(receivers);
        return now.received >= EVENTS ? now : undefined;
      },
      { timeout: 300_000, what: `${EVENTS} deliveries` },
    );
    const deliverySeconds = (done.last - ready) / 1_000;
    const cpu = cpuSeconds(dispatcher.process.pid);
    const rate = EVENTS / deliverySeconds;
    const bare = await bareLoop(ports, receivers);

    console.log(`  Ledger.Post        ${(EVENTS / postingSeconds).toFixed(0)}/s with ${POSTERS} callers`);
    console.log(
      `  dispatcher         ${rate.toFixed(0)} deliveries/s from ready to the last (${deliverySeconds.toFixed(1)} s)`,
    );
    console.log(`  bare sign + POST   ${bare.toFixed(0)}/s`);
    console.log(`  ratio              ${(rate / bare).toFixed(2)}`);
    console.log(
      `  where the time goes: start ${((ready - start) / 1_000).toFixed(1)} s; dispatcher ${cpu.toFixed(1)} s of processor for ${deliverySeconds.toFixed(1)} s of delivery; ${((cpu / EVENTS) * 1e6).toFixed(0)} µs of it a delivery`,
    );
  } finally {
    await bank.close();
    receivers.kill();
  }
}
