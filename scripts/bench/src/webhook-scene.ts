import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { until } from '@kontoport/embedded/wait';
import { LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { addAccounts, openBank, postgresPid } from './bank.ts';
import { childOf, cpuSeconds, familySeconds } from './harness.ts';
import type { ReceiversOrder, ReceiversReport } from './receivers.ts';

/** The receivers' process. */
export interface Receivers {
  ports: readonly number[];
  ask(order?: ReceiversOrder | 'times'): Promise<ReceiversReport>;
  close(): void;
}

export async function startReceivers(): Promise<Receivers> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'receivers.ts'));
  const [{ ports }] = (await once(child, 'message')) as [{ ports: number[] }];
  return {
    ports,
    async ask(order = {}) {
      const answer = once(child, 'message') as Promise<[ReceiversReport]>;
      child.send(order);
      return (await answer)[0];
    },
    close: () => void child.kill(),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Account-information and the dispatcher with eight subscribed TPPs and accounts. */
export async function openScene(broker: 'embedded' | 'apache') {
  const receivers = await startReceivers();
  const bank = await openBank(broker);
  const [accountsUrl, webhooksUrl] = [
    await bank.database('account-information'),
    await bank.database('webhook-dispatcher'),
  ];
  const accountInformation = await bank.start('account-information', accountsUrl);
  const dispatcher = await bank.start('webhook-dispatcher', webhooksUrl);
  const clientIds: string[] = [];
  const keys: string[] = [];
  for (const port of receivers.ports) {
    const tpp = await bank.peers.addTpp();
    clientIds.push(tpp.clientId);
    keys.push(await subscribe(dispatcher.origin, tpp, `http://127.0.0.1:${port}/`));
  }
  await receivers.ask({ keys });
  const everybodys = await addAccounts(accountsUrl, 32, clientIds);
  const own: string[] = [];
  for (const clientId of clientIds) own.push(...(await addAccounts(accountsUrl, 4, [clientId])));
  const postgres = await postgresPid(webhooksUrl);
  const brokerPid = childOf(broker === 'embedded' ? 'broker/main.ts' : 'kafka.Kafka');
  const ledger = new LedgerServiceClient(accountInformation.grpcAddress, credentials.createInsecure());
  return {
    receivers,
    /** Accounts of which all eight may know. */
    everybodys,
    /** Accounts of one TPP each. */
    own,
    /** Processor seconds of the services, PostgreSQL and the broker so far. */
    used: (): number =>
      [dispatcher.pid, accountInformation.pid, brokerPid].reduce(
        (sum, pid) => sum + cpuSeconds(pid),
        familySeconds(postgres),
      ),
    post(accountId: string, transactionId: string = randomUUID()): Promise<void> {
      const request = PostRequest.fromPartial({
        transactionId,
        accountId,
        amount: { value: '1.00', currency: 'DKK' },
        title: 'Bench',
        type: 'domesticCreditTransfer',
        recipientBban: '12345678901234',
      });
      return new Promise((resolve, reject) => {
        ledger.post(request, (error) => (error ? reject(error) : resolve()));
      });
    },
    async close() {
      ledger.close();
      await bank.close();
      receivers.close();
    },
  };
}

/** Waits until the given number of webhooks has arrived since the last reset; throws on a wrong signature. */
export async function received(receivers: Receivers, count: number): Promise<void> {
  await until(async () => (await receivers.ask()).received >= count, {
    what: `${count} deliveries`,
    timeout: 900_000,
  });
  const { invalid } = await receivers.ask();
  if (invalid > 0) throw new Error(`${invalid} signatures are wrong`);
}

/** Subscribes a TPP to postings; waits until the dispatcher knows the TPP. @returns the subscriptionKey */
async function subscribe(origin: string, tpp: TestTpp, callbackUrl: string): Promise<string> {
  const headers = { ...(await tpp.headers()), 'content-type': 'application/json' };
  const body = JSON.stringify({ callbackUrl, eventTypes: ['Posting.CreatedV1'] });
  return until(
    async () => {
      const response = await fetch(`${origin}/v1/webhook-subscriptions/bench`, {
        method: 'POST',
        headers,
        body,
      });
      const text = await response.text();
      if (response.status !== 201) throw new Error(`${response.status} ${text}`);
      return (JSON.parse(text) as { subscriptionKey: string }).subscriptionKey;
    },
    { what: 'a subscription' },
  );
}
