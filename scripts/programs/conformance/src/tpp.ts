import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { PspRole } from '@kontoport/issuing';
import { type Answer, basic, type Call, jsonOf, Refused, type Transport } from '@kontoport/profile';
import type { Address } from './config.ts';
import type { Deployment, Identity } from './deployment.ts';
import { expectStatus, expectThat, type Json, listOf, Skipped, textOf } from './expectations.ts';

export const REDIRECT_URI = 'https://tpp.example/callback';
const POLL_MS = 100;
const POLLS = 150;

/** A client's credentials. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** A request of a check; by default a GET at the base address with the client's token. */
export interface Request {
  method?: string;
  at?: Address;
  headers?: Record<string, string>;
  json?: unknown;
  /** Sent as it is. */
  body?: string;
  form?: Record<string, string>;
  /** `null` sends none. */
  token?: string | null;
  /** Other connections than the client's own. */
  over?: Transport;
}

/** A registered client of the deployment. */
export class Tpp {
  readonly deployment: Deployment;
  readonly identity: Identity;
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly token: string;
  readonly roles: readonly string[];
  /** A client of the run, which deletes it at the end. */
  readonly isOwn: boolean;
  #neighbour: Promise<Tpp> | undefined;
  #redirectUri: Promise<string> | undefined;
  #accounts: Promise<Json[]> | undefined;

  private constructor(
    options: Pick<Tpp, 'deployment' | 'identity' | 'transport' | 'credentials' | 'token' | 'roles' | 'isOwn'>,
  ) {
    this.deployment = options.deployment;
    this.identity = options.identity;
    this.transport = options.transport;
    this.credentials = options.credentials;
    this.token = options.token;
    this.roles = options.roles;
    this.isOwn = options.isOwn;
  }

  /** Gets a token for a client; registers the client if there are no credentials. @throws Refused */
  static async open(
    deployment: Deployment,
    {
      identity,
      credentials,
      roles,
    }: { identity: Identity; credentials?: Credentials; roles?: readonly PspRole[] },
  ): Promise<Tpp> {
    const transport = deployment.open(identity);
    const post = async (url: string, rest: Partial<Call>, status: number): Promise<Json> => {
      const call: Call = { method: 'POST', url, ...rest };
      const answer = await transport.send(call);
      if (answer.status !== status) throw new Refused(call, answer);
      return jsonOf(answer);
    };
    const { registrationUrl, authUrl } = deployment.config;
    const registered =
      credentials ??
      ((await post(
        `${registrationUrl}/tpp`,
        {
          headers: { 'content-type': 'application/json', 'x-request-id': randomUUID() },
          body: JSON.stringify(registrationOf(roles)),
        },
        201,
      )) as unknown as Credentials);
    const granted = await post(
      `${authUrl}/oauth2/token`,
      {
        headers: { authorization: basic(registered), 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=client_credentials',
      },
      200,
    );
    return new Tpp({
      deployment,
      identity,
      transport,
      credentials: registered,
      token: String(granted.access_token),
      roles: String(granted.scope).split(' '),
      isOwn: credentials === undefined,
    });
  }

  /** Sends a request. */
  send(path: string, request: Request = {}): Promise<Answer> {
    const {
      method = 'GET',
      at = 'baseUrl',
      headers,
      json,
      form,
      token = this.token,
      over = this.transport,
    } = request;
    const body = form
      ? new URLSearchParams(form).toString()
      : json === undefined
        ? request.body
        : JSON.stringify(json);
    return this.deployment.send(over, at, {
      method,
      path,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
        }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  }

  /** Sends a request and requires a status, by default 200 or 201. @returns the JSON of the answer */
  async ask(path: string, request: Request & { status?: number } = {}): Promise<Json> {
    const { status, ...sent } = request;
    return expectStatus(await this.send(path, sent), ...(status === undefined ? [200, 201] : [status]));
  }

  /** Sends a form to the token interface with the client's credentials. */
  sendForm(
    path: string,
    form: Record<string, string>,
    credentials: Credentials = this.credentials,
  ): Promise<Answer> {
    return this.send(path, {
      method: 'POST',
      at: 'authUrl',
      form,
      token: null,
      headers: { authorization: basic(credentials) },
    });
  }

  /** Gets a token of the client with these parameters. */
  async getToken(form: Record<string, string> = {}): Promise<string> {
    const answer = await this.sendForm('/oauth2/token', { grant_type: 'client_credentials', ...form });
    return textOf(expectStatus(answer, 200), 'access_token');
  }

  /** The accounts of the client, read once. */
  accounts(): Promise<Json[]> {
    this.#accounts ??= this.ask('/accounts').then((json) => listOf(json, 'accounts'));
    return this.#accounts;
  }

  /** An account that can pay. @throws Skipped without one */
  async account(currency = 'DKK'): Promise<Json & { id: string }> {
    const accounts = await this.accounts();
    const found = accounts.find(
      (each) =>
        each.currency === currency &&
        each.supportsPayments === true &&
        Number(each.balanceAvailableAmount) > 100,
    );
    if (!found)
      throw new Skipped(
        `the client has no account in ${currency} that can pay: its user gives consent first`,
      );
    return { ...found, id: textOf(found, 'id') };
  }

  /** A registered redirect URI of the client, read once. */
  redirectUri(): Promise<string> {
    this.#redirectUri ??= this.ask(`/tpp/${this.credentials.clientId}`, { at: 'registrationUrl' }).then(
      ({ redirectUris }) => String((redirectUris as unknown[])[0]),
    );
    return this.#redirectUri;
  }

  /** Another client: of another organization if certificates can be minted, else over the same certificate. */
  neighbour(): Promise<Tpp> {
    this.#neighbour ??= (async () =>
      Tpp.open(this.deployment, {
        identity: this.deployment.config.issuingCa ? await this.deployment.mint() : this.identity,
      }))();
    return this.#neighbour;
  }

  /** Opens a client for the time of a function. */
  async withClient(
    options: { identity?: Identity; roles?: readonly PspRole[] },
    use: (client: Tpp) => Promise<void>,
  ): Promise<void> {
    const roles = this.roles.filter((role): role is PspRole => role === 'PSP_AI' || role === 'PSP_PI');
    const client = await Tpp.open(this.deployment, { identity: this.identity, roles, ...options });
    try {
      await use(client);
    } finally {
      await client.remove();
    }
  }

  /** Deletes the client and its neighbour, unless they were there before the run. */
  async remove(): Promise<void> {
    const neighbour = await this.#neighbour?.catch(() => undefined);
    await neighbour?.remove();
    const { clientId } = this.credentials;
    if (this.isOwn) await this.send(`/tpp/${clientId}`, { method: 'DELETE', at: 'registrationUrl' });
  }
}

/** A client of another organization. @throws Skipped if no certificate can be minted */
export async function requireOther(tpp: Tpp): Promise<Tpp> {
  const neighbour = await tpp.neighbour();
  if (neighbour.identity === tpp.identity) throw new Skipped('the configuration has no issuingCa');
  return neighbour;
}

/** The body of a registration. */
export function registrationOf(roles: readonly string[] = ['PSP_AI', 'PSP_PI']): Json {
  return { name: 'Conformance', roles, redirectUris: [REDIRECT_URI] };
}

/** Repeats a request until the result is there, for 15 seconds at most. */
export async function eventually<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let polls = 0; polls < POLLS; polls += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
    await pause(POLL_MS);
  }
  expectThat(false, `${what} within 15 s`, 'not yet');
}
