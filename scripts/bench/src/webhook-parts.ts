import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/peers';
import type { TlsFiles } from '@kontoport/testing/tls';
import type { ReceiversOrder, ReceiversReport } from './receivers.ts';

type Said = { ports: number[] } | { report: ReceiversReport } | { came: string };

/** Eight receivers in a process of their own. */
export interface Receivers {
  pid: number;
  ports: readonly number[];
  ask(order?: ReceiversOrder): Promise<ReceiversReport>;
  /** How many webhooks came since the last reset. */
  count(): Promise<number>;
  /** Called with the posting of each webhook, once they were told to announce them. */
  onWebhook: (postingId: string) => void;
  close(): void;
}

/** @param tls of a certificate for localhost; without, they speak HTTP */
export async function startReceivers(tls?: TlsFiles): Promise<Receivers> {
  const child: ChildProcess = fork(
    join(import.meta.dirname, 'receivers.ts'),
    tls === undefined ? [] : [tls.cert, tls.key],
  );
  const asked: ((report: ReceiversReport) => void)[] = [];
  const listening = Promise.withResolvers<number[]>();
  child.on('message', (said: Said) => {
    if ('came' in said) receivers.onWebhook(said.came);
    else if ('ports' in said) listening.resolve(said.ports);
    else asked.shift()!(said.report);
  });
  const receivers: Receivers = {
    pid: child.pid ?? 0,
    ports: await listening.promise,
    ask: (order = {}) =>
      new Promise((resolve) => {
        asked.push(resolve);
        child.send(order);
      }),
    count: async () => (await receivers.ask()).received.reduce((sum, one) => sum + one, 0),
    onWebhook: () => {},
    close: () => void child.kill(),
  };
  return receivers;
}

/** Subscribes a TPP to postings; waits until the dispatcher knows it. @returns the subscriptionKey */
export async function subscribe(options: {
  origin: string;
  tpp: TestTpp;
  callbackUrl: string;
  id?: string;
}): Promise<string> {
  const { origin, tpp, callbackUrl, id = 'bench' } = options;
  const headers = { ...(await tpp.headers()), 'content-type': 'application/json' };
  const body = JSON.stringify({ callbackUrl, eventTypes: ['Posting.CreatedV1'] });
  return until(
    async () => {
      const response = await fetch(`${origin}/v1/webhook-subscriptions/${id}`, {
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
