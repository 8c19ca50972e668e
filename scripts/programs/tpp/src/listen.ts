import { randomUUID } from 'node:crypto';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@kontoport/client';
import { styleFor, UsageError } from '@kontoport/command';
import {
  openSession,
  type ProfileOptions,
  type Reply,
  startWebhookServer,
  type Webhook,
} from '@kontoport/profile';
import { EVENT_TYPES } from './operations.ts';

/** The options of `kontoport listen`. */
export interface ListenOptions extends ProfileOptions {
  forward?: string;
  events?: string;
  port: string;
  json?: boolean;
}

const SUBSCRIPTIONS = '/v1/webhook-subscriptions';
/** Begins the id of each subscription that this command creates. */
const OWN = 'kontoport-listen-';
const MAX_FORWARD_MS = 14_000;
/** Headers of the connection, not of the webhook. */
const HOP_BY_HOP = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'];

/** Receives webhooks until SIGINT or SIGTERM. @returns the exit status */
export async function listen(options: ListenOptions): Promise<number> {
  const forward = options.forward === undefined ? undefined : targetFrom(options.forward);
  if (!/^\d{1,5}$/.test(options.port) || Number(options.port) > 65_535)
    throw new UsageError('--port must be a port from 0 to 65535');
  const eventTypes = options.events?.split(',').map((type) => type.trim()) ?? EVENT_TYPES;
  const stopped = untilStopped();
  // The first webhook can arrive before the answer that has its key.
  const key = Promise.withResolvers<string>();
  key.promise.catch(() => {});
  const server = await startWebhookServer(Number(options.port), async (webhook) => {
    const outcome = await handle(webhook, { key: await key.promise, forward });
    print(outcome, options);
    return outcome.reply;
  });
  try {
    const id = await subscribe(options, { callbackUrl: server.url, eventTypes, gotKey: key.resolve });
    console.error(`${server.url} receives ${eventTypes.join(', ')}. Ctrl-C ends.`);
    await stopped;
    await unsubscribe(options, id);
  } finally {
    key.reject(new Error('no subscription'));
    await server.close();
  }
  return 0;
}

function targetFrom(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('--forward is a URL such as http://localhost:3000/webhooks');
  return url;
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/** Creates the subscription; deletes those that an earlier, killed run left for the same port. */
async function subscribe(
  options: ListenOptions,
  wanted: { callbackUrl: string; eventTypes: readonly string[]; gotKey: (key: string) => void },
): Promise<string> {
  const { callbackUrl, eventTypes, gotKey } = wanted;
  const session = openSession(options);
  try {
    const { subscriptions } = (await session.ask('GET', SUBSCRIPTIONS)) as {
      subscriptions: { id: string; callbackUrl: string }[];
    };
    for (const left of subscriptions)
      if (left.id.startsWith(OWN) && left.callbackUrl === callbackUrl)
        await session.ask('DELETE', `${SUBSCRIPTIONS}/${left.id}`);
    const id = OWN + randomUUID();
    const created = await session.ask('POST', `${SUBSCRIPTIONS}/${id}`, { callbackUrl, eventTypes });
    gotKey(String(created.subscriptionKey));
    return id;
  } finally {
    await session.close();
  }
}

/** Deletes the subscription. The stack may have restarted, and may have other addresses now. */
async function unsubscribe(options: ListenOptions, id: string): Promise<void> {
  try {
    const session = openSession(options);
    await session.ask('DELETE', `${SUBSCRIPTIONS}/${id}`);
    await session.close();
    console.error('The subscription is deleted.');
  } catch (error) {
    console.error(`The subscription ${id} stays: ${(error as Error).message}
The next kontoport listen on this port deletes it.`);
  }
}

/** The fate of a webhook. */
interface Outcome {
  /** Absent for a webhook that is not from the bank. */
  event?: WebhookEvent;
  reply: Reply;
  /** The answer of the --forward URL: a status, or why there is none. */
  forwarded?: { result: string; milliseconds: number };
}

async function handle(
  webhook: Webhook,
  { key, forward }: { key: string; forward: URL | undefined },
): Promise<Outcome> {
  const event = eventOf(webhook, key);
  if (event === undefined) return { reply: { status: 401 } };
  if (forward === undefined) return { event, reply: { status: 204 } };
  const since = performance.now();
  const took = (): number => Math.round(performance.now() - since);
  try {
    const headers = Object.entries(webhook.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
    const response = await fetch(forward, {
      method: 'POST',
      headers: headers as [string, string][],
      body: new Uint8Array(webhook.body),
      redirect: 'manual',
      signal: AbortSignal.timeout(MAX_FORWARD_MS),
    });
    await response.body?.cancel();
    const { status } = response;
    const retryAfter = response.headers.get('retry-after') ?? undefined;
    return {
      event,
      // The bank repeats and pauses as it would for the receiver itself.
      reply: { status, ...(retryAfter !== undefined && { retryAfter }) },
      forwarded: { result: String(status), milliseconds: took() },
    };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    return {
      event,
      reply: { status: 502 },
      forwarded: { result: cause?.code ?? message, milliseconds: took() },
    };
  }
}

function eventOf({ headers, body }: Webhook, key: string): WebhookEvent | undefined {
  try {
    return verifyWebhook(key, headers, body);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined;
    throw error;
  }
}

function print({ event, forwarded }: Outcome, { json }: ListenOptions): void {
  if (json) {
    console.log(JSON.stringify({ signature: event ? 'valid' : 'invalid', event, forwarded }));
    return;
  }
  const style = styleFor(process.stdout, process.env);
  const time = new Date().toISOString().slice(11, 19);
  if (event === undefined) {
    console.log(`${time}  ${style('red', 'signature invalid')}, rejected with 401`);
    return;
  }
  console.log(
    [
      time,
      style('bold', event.eventType),
      style('green', 'signature valid'),
      ...(forwarded ? [`forwarded: ${forwarded.result} (${forwarded.milliseconds} ms)`] : []),
      event.idempotencyKey,
      style('dim', JSON.stringify(event.data)),
    ].join('  '),
  );
  if (forwarded?.result === '410')
    console.error('The receiver answered 410: the bank pauses the subscription.');
}
