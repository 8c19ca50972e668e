import type { IssuerFiles } from '@kontoport/issuing';
import { expectThat } from './expectations.ts';
import type { Narrator } from './narrator.ts';
import type { TppClient } from './tpp-client.ts';

/** What a provider is told of the sandbox: the part of stack.json that the tour needs. */
export interface Sandbox {
  baseUrl: string;
  registrationUrl: string;
  /** The address of the token interface (§4.1); the `authUrl` of an approval is another thing (§2.10). */
  authUrl: string;
  userUrl: string;
  /** PEM file: what the provider trusts. */
  serverCa: string;
  /** Stands for the trust service provider that issues QWACs. */
  issuingCa: IssuerFiles;
}

/** What every step of the tour works with. */
export interface Tour {
  sandbox: Sandbox;
  tpp: TppClient;
  narrator: Narrator;
}

/** A registered provider with a token in its hand. */
export interface Session {
  clientId: string;
  /** The value of the Authorization header. */
  authorization: string;
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

/** Asks `attempt` again and again until it hands something back, at most `limit` milliseconds. */
export async function eventually<T>(
  attempt: () => Promise<T | undefined>,
  options: { what: string; limit: number; every: number },
): Promise<T> {
  const deadline = performance.now() + options.limit;
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    expectThat(performance.now() < deadline, `${options.what} within ${options.limit / 1_000} s`, 'not yet');
    await new Promise((resolve) => setTimeout(resolve, options.every));
  }
}
