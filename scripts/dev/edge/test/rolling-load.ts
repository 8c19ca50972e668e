import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { testQwac } from '@kontoport/testing/qwac';
import type { EdgeAddress } from '../src/routes.ts';
import { type ReplicatedBank, type ServiceName, SERVICES } from './replicated-bank.ts';

/** Callers of each service, each with the next request soon after the last one was answered, over connections that it keeps. */
const CALLERS = 2;
/** The load is that of a working day: the tests require that no request fails, not a rate. */
const PAUSE_MS = 50;
const LIMIT_MS = 180_000;
const DRAFTS = '/payments/drafts/domestic-credit-transfer';
const JSON_TYPE = { 'content-type': 'application/json' };

interface Asked {
  address: EdgeAddress;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Answered {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

/** The outcome of a request. */
interface Outcome {
  service: ServiceName;
  /** `done` for the promised answer; otherwise a description of the actual one. */
  said: 'done' | (string & {});
  /** A 503 as the contract specifies it (§7): with `Retry-After`, and the code for unavailability. */
  isDocumentedAbsence: boolean;
  milliseconds: number;
}

/** A registered TPP that calls all five services continuously, a bank that posts, and a receiver of webhooks. */
export class Load {
  readonly outcomes: Outcome[] = [];
  /** Drafts that were answered with 201. */
  readonly drafts: string[] = [];
  /** Postings that the ledger accepted. */
  readonly posted: string[] = [];
  /** Postings that a webhook reported. */
  readonly told = new Set<string>();
  readonly #bank: ReplicatedBank;
  readonly #ledger: LedgerServiceClient;
  #receiver!: Server;
  #agent!: Agent;
  #bearer!: Record<string, string>;
  #running: Promise<unknown>[] = [];
  #over = false;

  constructor(bank: ReplicatedBank) {
    this.#bank = bank;
    this.#ledger = createClient(LedgerServiceClient, bank.ledger);
  }

  async start(): Promise<void> {
    const qwac = await testQwac({
      issuer: this.#bank.issuing,
      organizationName: 'Test TPP',
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    const { chainPem: cert, keyPem: key } = qwac;
    this.#agent = new Agent({ keepAlive: true, cert, key, rejectUnauthorized: false });
    const { clientId, basic } = await this.#register();
    const tokenRequest: Asked = {
      address: 'auth',
      method: 'POST',
      path: '/oauth2/token',
      headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    };
    const { access_token: token } = await this.#require<{ access_token: string }>(tokenRequest, 200);
    this.#bearer = { authorization: `Bearer ${token}` };
    const base = (path: string): Asked => ({
      address: 'base',
      method: 'GET',
      path,
      headers: this.#bearer,
    });
    const account = await until(
      async () =>
        (await this.#require<{ accounts: { id: string }[] }>(base('/accounts'), 200)).accounts[0]?.id,
      { what: 'the accounts of the new client' },
    );
    await this.#receive();
    const own: Asked = {
      address: 'registration',
      method: 'GET',
      path: `/tpp/${clientId}`,
      headers: this.#bearer,
    };
    const asked: Record<ServiceName, () => Promise<string>> = {
      registration: () => this.#outcome(own, 200),
      auth: () => this.#outcome(tokenRequest, 200),
      'account-information': () => this.#outcome(base('/accounts'), 200),
      payments: () => this.#draft(),
      'webhook-dispatcher': () => this.#outcome(base('/v1/webhook-subscriptions'), 200),
    };
    for (const [service, ask] of Object.entries(asked))
      for (let caller = 0; caller < CALLERS; caller++)
        this.#running.push(
          this.#again(async () => {
            const started = performance.now();
            const said = await ask();
            this.outcomes.push({
              milliseconds: performance.now() - started,
              service: service as ServiceName,
              said,
              isDocumentedAbsence: said.startsWith('503 as documented'),
            });
          }),
        );
    this.#running.push(this.#again(() => this.#post(account)));
  }

  /** Failed outcomes from that number on. */
  failuresSince(mark: number): Outcome[] {
    return this.outcomes.slice(mark).filter(({ said }) => said !== 'done');
  }

  /** The longest duration of an answer since the number, of services without a failure since then, in milliseconds. */
  slowestSince(mark: number): number {
    const failing = new Set(this.failuresSince(mark).map(({ service }) => service));
    const others = this.outcomes.slice(mark).filter(({ service }) => !failing.has(service));
    return Math.max(0, ...others.map(({ milliseconds }) => milliseconds));
  }

  /** Waits until, from now on, each service has given a promised answer and the ledger has accepted a posting. */
  async everybodyAnswers(): Promise<void> {
    const posted = this.posted.length;
    await this.#each('an answer', ({ said }) => said === 'done');
    await until(() => this.posted.length > posted, { what: 'a posting', timeout: LIMIT_MS });
  }

  /** Waits until each service has, from now on, answered a documented 503. */
  everybodyRefuses(): Promise<void> {
    return this.#each('a refusal', ({ isDocumentedAbsence }) => isDocumentedAbsence);
  }

  async #each(what: string, matches: (outcome: Outcome) => boolean): Promise<void> {
    const mark = this.outcomes.length;
    const heard = (): Set<ServiceName> =>
      new Set(this.outcomes.slice(mark).flatMap((outcome) => (matches(outcome) ? [outcome.service] : [])));
    await until(() => heard().size === SERVICES.length, {
      what: `${what} of each service`,
      timeout: LIMIT_MS,
    });
  }

  /** Waits until webhooks have reported every posting that the ledger has accepted so far. */
  async everythingIsTold(): Promise<void> {
    const taken = [...this.posted];
    await until(() => taken.every((id) => this.told.has(id)), {
      what: `webhooks of ${taken.length} postings`,
      timeout: LIMIT_MS,
    }).catch((error: unknown) => {
      const lost = taken.filter((id) => !this.told.has(id));
      throw new Error(`${lost.length} of ${taken.length} postings were told to nobody`, { cause: error });
    });
  }

  /** The status of each draft that was accepted, from that number on. */
  async readDrafts(from: number): Promise<number[]> {
    const statuses: number[] = [];
    for (const id of this.drafts.slice(from)) {
      const { status } = await this.#ask({
        address: 'base',
        method: 'GET',
        path: `${DRAFTS}/${id}`,
        headers: this.#bearer,
      });
      statuses.push(status);
    }
    return statuses;
  }

  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    await this.stop();
    this.#agent?.destroy();
    this.#ledger.close();
    this.#receiver?.closeAllConnections();
    this.#receiver?.close();
  }

  async #again(work: () => Promise<void>): Promise<void> {
    while (!this.#over) {
      await work();
      await pause(PAUSE_MS);
    }
  }

  async #register(): Promise<{ clientId: string; basic: string }> {
    const { clientId, clientSecret } = await this.#require<{ clientId: string; clientSecret: string }>(
      {
        address: 'registration',
        method: 'POST',
        path: '/tpp',
        headers: JSON_TYPE,
        body: JSON.stringify({
          name: 'Fjord Budget',
          roles: ['PSP_AI', 'PSP_PI'],
          redirectUris: ['https://tpp.test/'],
        }),
      },
      201,
    );
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    return { clientId, basic };
  }

  /** Subscribes a receiver to postings. */
  async #receive(): Promise<void> {
    this.#receiver = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        const { data } = JSON.parse(body) as { data: { ledgerPostingId: string } };
        this.told.add(data.ledgerPostingId);
        response.writeHead(204).end();
      });
    });
    this.#receiver.listen(0, '127.0.0.1');
    await once(this.#receiver, 'listening');
    const { port } = this.#receiver.address() as AddressInfo;
    await this.#require(
      {
        address: 'base',
        method: 'POST',
        path: '/v1/webhook-subscriptions/rolling',
        headers: { ...this.#bearer, ...JSON_TYPE },
        body: JSON.stringify({
          callbackUrl: `http://127.0.0.1:${port}/`,
          eventTypes: ['Posting.CreatedV1'],
        }),
      },
      201,
    );
  }

  async #draft(): Promise<string> {
    const draftId = randomUUID();
    const said = await this.#outcome(
      {
        address: 'base',
        method: 'POST',
        path: DRAFTS,
        headers: { ...this.#bearer, ...JSON_TYPE },
        body: JSON.stringify({ draftId, name: 'Rent' }),
      },
      201,
    );
    if (said === 'done') this.drafts.push(draftId);
    return said;
  }

  /** Repeats the call until the ledger has accepted it, as a bank does. */
  async #post(accountId: string): Promise<void> {
    const transactionId = randomUUID();
    const posting = PostRequest.fromPartial({
      transactionId,
      accountId,
      amount: { value: '1.00', currency: 'DKK' },
      title: 'Rolling',
      type: 'domesticCreditTransfer',
      recipientBban: '12345678901234',
    });
    while (!this.#over)
      try {
        await call(this.#ledger, this.#ledger.post, posting);
        this.posted.push(transactionId);
        return;
      } catch {
        await pause(PAUSE_MS);
      }
  }

  async #outcome(asked: Asked, expected: number): Promise<string> {
    try {
      const { status, retryAfter, body } = await this.#ask(asked);
      if (status === expected) return 'done';
      const isLater = /"(errorCode":"UNAVAILABLE|error":"temporarily_unavailable)"/.test(body);
      const isDocumented = status === 503 && isLater && Number(retryAfter) > 0;
      return `${status}${isDocumented ? ' as documented' : ''} ${body}`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async #require<T>(asked: Asked, expected: number): Promise<T> {
    return until(
      async () => {
        const { status, body } = await this.#ask(asked);
        if (status !== expected) throw new Error(`${asked.path} was answered with ${status} ${body}`);
        return JSON.parse(body) as T & object;
      },
      { what: `${asked.method} ${asked.path}` },
    );
  }

  #ask({ address, method, path, headers = {}, body = '' }: Asked): Promise<Answered> {
    return new Promise((resolve, reject) => {
      request(
        `${this.#bank.edge.urls[address]}${path}`,
        { agent: this.#agent, method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
        (response) => {
          text(response).then(
            (whole) =>
              resolve({
                status: response.statusCode!,
                retryAfter: response.headers['retry-after'],
                body: whole,
              }),
            reject,
          );
        },
      )
        .on('error', reject)
        .end(body);
    });
  }
}
