import type { Stack } from '@kontoport/profile';
import { expectStatus, expectThat, type Json, jsonOf } from './expectations.ts';
import type { Narrator } from './narrator.ts';
import { type Answer, type Call, createTppClient, type TppClient } from './tpp-client.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** A stack whose authority issues QWACs, as a trust service provider does. */
export type Sandbox = Required<Stack>;

/** The context of every step. */
export interface Tour {
  sandbox: Sandbox;
  tpp: TppClient;
  narrator: Narrator;
  /** PEM of the server CA, for a browser without client certificate. */
  ca: string;
}

/** A registered provider. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** A tour of a provider that has a token; `authorization` is the value of the header. */
export interface SignedIn extends Tour {
  credentials: Credentials;
  authorization: string;
}

/** The account that the tour pays from. */
export interface Account {
  id: string;
  bban: string;
}

/** A tour with an account, and with a subscription to events. */
export interface Visit extends SignedIn {
  account: Account;
  receiver: WebhookReceiver;
  subscriptionId: string;
}

/** The money that the tour moves. */
export const PAYMENT = {
  amount: '125.50',
  minor: 12_550,
  currency: 'DKK',
  receiverName: 'Havnens Cykler ApS',
};
/** Danish: four digits of the bank's registration number, ten of the account. */
export const RECEIVER_BBAN = '54790001234567';
export const REDIRECT_URI = 'https://tpp.example/callback';
/** The bank settles a payment, and delivers a webhook, within this time. */
export const LIMIT_MS = 60_000;

/** A call with its answer; `json` is empty where the answer has no body. */
export interface Asked {
  call: Call;
  answer: Answer;
  json: Json;
}

/** Makes a call and requires one of the statuses, by default 200 or 201. */
export async function ask(
  { tpp }: Pick<Tour, 'tpp'>,
  call: Call,
  statuses: readonly number[] = [200, 201],
): Promise<Asked> {
  const answer = await tpp.call(call);
  expectStatus(answer, ...statuses);
  return { call, answer, json: answer.text === '' ? {} : jsonOf(answer) };
}

/** Calls the base_url with the provider's token. */
export function api(
  tour: SignedIn,
  call: { method?: Call['method']; path: string; json?: unknown; requestId?: string; statuses?: number[] },
): Promise<Asked> {
  const { method = 'GET', path, json, requestId, statuses } = call;
  const { sandbox, authorization } = tour;
  const sent = {
    method,
    url: `${sandbox.baseUrl}${path}`,
    authorization,
    ...(json === undefined ? {} : { json }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return ask(tour, sent, statuses);
}

/** Opens an address as the user's browser does, without client certificate. @returns where it is sent back to */
export async function followBrowser(
  { ca }: Tour,
  url: string,
): Promise<{ call: Call; answer: Answer; location: string }> {
  const browser = createTppClient({ ca });
  try {
    const call: Call = { method: 'GET', url };
    const answer = await browser.call(call);
    expectStatus(answer, 302, 303);
    const location = answer.headers.location ?? '';
    expectThat(location.startsWith(REDIRECT_URI), `a redirect to ${REDIRECT_URI}`, location || 'no Location');
    return { call, answer, location };
  } finally {
    await browser.close();
  }
}

/** Repeats `attempt` until it returns something, for a minute at most. */
export async function eventually<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    expectThat(performance.now() < deadline, `${what} within ${LIMIT_MS / 1_000} s`, 'not yet');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
