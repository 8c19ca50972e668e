import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { accept, type Receiver, startReceiver } from './receiver.ts';
import { begun, completed, storeEvents } from './replays.ts';
import { type Parts, postingFor, publish, startParts, webhookClient } from './running.ts';
import { arrived } from './scene.ts';

let parts: Parts;
let tpp: TestTpp;
let receiver: Receiver;
const processes: ServiceProcess[] = [];

beforeEach(async () => {
  parts = await startParts();
  [tpp, receiver] = [await parts.peers.addTpp(), await startReceiver()];
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.kill('SIGKILL')));
  await parts.close();
  await receiver.close();
});

async function startProcess(): Promise<{ process: ServiceProcess; origin: string }> {
  const [HTTP_PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
  const process = startServiceProcess({
    service: 'webhook-dispatcher',
    env: { ...parts.env, HTTP_PORT, OPS_PORT, LOG_LEVEL: 'info' },
  });
  processes.push(process);
  await process.ready();
  return { process, origin: `http://127.0.0.1:${HTTP_PORT}` };
}

const keys = (): Set<string> => new Set(receiver.received.map(({ body }) => body.idempotencyKey));

describe('a process that ends loses no posting (§6)', () => {
  it('SIGTERM lets attempts in flight end, and leaves the rest to the next process', async () => {
    const first = await startProcess();
    await webhookClient(() => first.origin, tpp).subscribe(receiver.url);
    const held: (() => void)[] = [];
    receiver.answer = (response) => void held.push(() => response.end());
    await publish(
      parts.producer,
      Array.from({ length: 30 }, () => postingFor([tpp])),
    );
    await arrived(receiver, 16);
    const ending = first.process.kill('SIGTERM');
    await until(() => first.process.log.some(({ msg }) => msg === 'stopping'), { what: 'the end to begin' });
    receiver.answer = accept;
    for (const answer of held) answer();
    expect(await ending).toEqual({ code: 0, signal: null });
    expect(receiver.received.length).toBeGreaterThanOrEqual(16);
    expect(await count('delivered')).toBe(receiver.received.length);

    await startProcess();
    await until(async () => (await count('delivered')) === 30, { what: 'the rest' });
    expect(receiver.received).toHaveLength(30);
    expect(keys().size).toBe(30);
  });
});

describe('a process that dies loses no replay (§4.6)', () => {
  it('another process continues it, and delivers every event', async () => {
    const first = await startProcess();
    let origin = first.origin;
    const client = webhookClient(() => origin, tpp);
    const subscription = await client.subscribe(receiver.url);
    const subscriber = { tpp, receiver, client, subscription };
    const events = await storeEvents({ parts }, tpp, { count: 2_000, apart: '10 milliseconds' });
    // From the 500th on the receiver holds its answers, so that the replay cannot get to its end.
    receiver.answer = (response, webhook, index) => {
      if (index < 500) accept(response, webhook, index);
    };
    const asked = await begun(subscriber);
    await arrived(receiver, 500);
    await first.process.kill('SIGKILL');
    const { rows } = await parts.pool.query<{ status: string; deliveries: number }>(
      'SELECT status, deliveries FROM replay',
    );
    expect(rows).toMatchObject([{ status: 'RUNNING' }]);
    expect(rows[0]!.deliveries).toBeLessThan(2_000);

    receiver.answer = accept;
    ({ origin } = await startProcess());
    expect(await completed(subscriber, asked)).toMatchObject({ events: 2_000, deliveries: 2_000 });
    await until(async () => (await count('delivered')) === 2_000, {
      what: 'all deliveries',
      timeout: 120_000,
    });
    expect(keys()).toEqual(new Set(events));
    // Sent but not recorded: at most the deliveries that a queue has in flight, and a batch of outcomes.
    expect(receiver.received.length).toBeLessThanOrEqual(2_000 + 64 + 500);
  });
});

async function count(status: string): Promise<number> {
  const { rows } = await parts.pool.query<{ count: string }>(
    'SELECT count(*) FROM delivery_log WHERE status = $1',
    [status],
  );
  return Number(rows[0]!.count);
}
