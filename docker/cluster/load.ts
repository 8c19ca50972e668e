// node docker/cluster/load.ts ORDER: calls all services continuously as a TPP, and books transactions as the bank, until standard
// input ends. It answers each input line with a report, one line of JSON. It runs in the network of a node.
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { createClient } from '@kontoport/grpc';
import { certificatePem, type IssuerFiles, mintQwac, mintTls, readIssuer } from '@kontoport/issuing';
import { LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';

/** Configuration of the load. */
export interface LoadOrder {
  baseUrl: string;
  registrationUrl: string;
  authUrl: string;
  /** PEM file of the authorities that the TPP trusts. */
  serverCa: string;
  issuingCa: IssuerFiles;
  /** Address of this machine that receives webhooks; the issuing CA issues its certificate. */
  receiver: string;
  /** PEM files of the peer `bank`. */
  bank: { certificate: string; key: string; authority: string };
  /** host:port of the ledger. */
  ledger: string;
}

/** Results of the load so far. */
export interface LoadReport {
  /** Requests by kind and status, with the message of a 503. */
  answers: Record<string, number>;
  /** Unexpected answers other than a documented 503, and broken connections. */
  failures: string[];
  /** Transactions that the ledger has acknowledged. */
  booked: number;
  /** Booked transactions whose webhook has not arrived. */
  missing: number;
  /** Webhooks that arrived more than once. */
  repeated: number;
}

const PAUSE_MS = 20;
const SEVERAL = 2;

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

class Load {
  readonly #order: LoadOrder;
  readonly #report: LoadReport = { answers: {}, failures: [], booked: 0, missing: 0, repeated: 0 };
  readonly #booked = new Set<string>();
  readonly #received = new Map<string, number>();
  #agent!: Agent;
  #authorization = '';
  #over = false;

  constructor(order: LoadOrder) {
    this.#order = order;
  }

  /** Registers the TPP, finds an account and subscribes. */
  async open(): Promise<() => Promise<void>> {
    const issuer = await readIssuer(this.#order.issuingCa);
    const at = new Date();
    const organizationIdentifier = `PSDDK-DFSA-${randomInt(10_000_000, 100_000_000)}`;
    const identity = {
      name: 'Load ApS',
      organizationIdentifier,
      roles: ['PSP_AI', 'PSP_PI'] as const,
      days: 30,
    };
    const { chainPem: cert, keyPem: key } = await mintQwac({ request: identity, issuer, at });
    const ca = readFileSync(this.#order.serverCa, 'utf8');
    this.#agent = new Agent({ cert, key, ca, keepAlive: true });
    const { baseUrl, registrationUrl, authUrl, receiver } = this.#order;
    const server = await this.#receive(issuer, at);
    const registered = await this.#mustRun('POST', `${registrationUrl}/tpp`, 201, {
      name: identity.name,
      roles: identity.roles,
      redirectUris: ['https://tpp.example/callback'],
    });
    const { clientId, clientSecret } = JSON.parse(registered) as { clientId: string; clientSecret: string };
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const token = (): Promise<Answer> =>
      this.#call('POST', `${authUrl}/oauth2/token`, 'grant_type=client_credentials', basic);
    const { access_token } = JSON.parse((await token()).body) as { access_token: string };
    this.#authorization = `Bearer ${access_token}`;
    const { accounts } = JSON.parse(await this.#mustRun('GET', `${baseUrl}/accounts`, 200)) as {
      accounts: { id: string; currency: string }[];
    };
    const account = accounts.find(({ currency }) => currency === 'DKK')!;
    await this.#mustRun('POST', `${baseUrl}/v1/webhook-subscriptions/load`, 201, {
      callbackUrl: `https://${receiver}:${(server.address() as { port: number }).port}/webhooks`,
      eventTypes: ['Posting.CreatedV1'],
    });
    const asked: [string, number, () => Promise<Answer>][] = [
      ['accounts', 200, () => this.#call('GET', `${baseUrl}/accounts`)],
      ['tokens', 200, token],
      ['registration', 200, () => this.#call('GET', `${registrationUrl}/tpp/${clientId}/display-name`)],
      ['subscriptions', 200, () => this.#call('GET', `${baseUrl}/v1/webhook-subscriptions`)],
      ['payments', 404, () => this.#call('GET', `${baseUrl}/payments/drafts/approve/${randomUUID()}/status`)],
    ];
    const callers = asked.flatMap(([name, wanted, ask]) =>
      Array.from({ length: SEVERAL }, () => this.#askOn(name, wanted, ask)),
    );
    const booking = this.#book(account.id);
    return async () => {
      this.#over = true;
      await Promise.all([...callers, booking]);
      while (this.report().missing > 0) await pause(PAUSE_MS);
      server.closeAllConnections();
      server.close();
      this.#agent.destroy();
    };
  }

  report(): LoadReport {
    const repeated = [...this.#received.values()].filter((times) => times > 1).length;
    const missing = [...this.#booked].filter((id) => !this.#received.has(id)).length;
    return { ...this.#report, booked: this.#booked.size, missing, repeated };
  }

  async #receive(
    issuer: Awaited<ReturnType<typeof readIssuer>>,
    at: Date,
  ): Promise<ReturnType<typeof createServer>> {
    const { receiver } = this.#order;
    const own = await mintTls({ name: receiver, use: { server: [receiver] }, issuer, days: 30, at });
    const tls = { cert: own.presented!.map(certificatePem).join(''), key: own.keyPem };
    const server = createServer(tls, (incoming, response) => {
      text(incoming).then(
        (body) => {
          const { data } = JSON.parse(body) as { data: { ledgerPostingId: string } };
          this.#received.set(data.ledgerPostingId, (this.#received.get(data.ledgerPostingId) ?? 0) + 1);
          response.writeHead(204).end();
        },
        () => response.destroy(),
      );
    });
    server.listen(0, receiver);
    await once(server, 'listening');
    return server;
  }

  async #mustRun(method: string, url: string, wanted: number, json?: object): Promise<string> {
    for (;;) {
      const answer = await this.#call(method, url, json && JSON.stringify(json));
      const { status, body, retryAfter } = answer;
      if (status === wanted) return body;
      if (!isFine(answer, wanted)) throw new Error(`${method} ${url}: ${status} ${body}`);
      // A new client is not known to every replica yet.
      await pause(Number(retryAfter) * 1_000);
    }
  }

  async #call(
    method: string,
    url: string,
    body?: string,
    authorization = this.#authorization,
  ): Promise<Answer> {
    const type = body?.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded';
    const outgoing = request(url, {
      method,
      agent: this.#agent,
      headers: {
        'x-request-id': randomUUID(),
        ...(authorization === '' ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
      },
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: response.statusCode!,
      retryAfter: response.headers['retry-after'],
      body: await text(response),
    };
  }

  /** Sends the next request as soon as the last one is answered. */
  async #askOn(name: string, wanted: number, ask: () => Promise<Answer>): Promise<void> {
    const { answers, failures } = this.#report;
    while (!this.#over) {
      const answer = await ask().catch((error: Error) => error);
      const key = `${name} ${answer instanceof Error ? 'broken' : outcomeOf(answer)}`;
      answers[key] = (answers[key] ?? 0) + 1;
      if (answer instanceof Error) failures.push(`${name}: ${answer.message}`);
      else if (!isFine(answer, wanted)) failures.push(`${name}: ${answer.status} ${answer.body}`);
      await pause(PAUSE_MS);
    }
  }

  /** Books as the bank's systems do: it repeats what is not acknowledged. */
  async #book(accountId: string): Promise<void> {
    const { bank, ledger } = this.#order;
    const client = createClient(
      LedgerServiceClient,
      ledger,
      createSecureContext({
        cert: readFileSync(bank.certificate),
        key: readFileSync(bank.key),
        ca: readFileSync(bank.authority),
        minVersion: 'TLSv1.3',
      }),
    );
    while (!this.#over) {
      const posting = PostRequest.fromPartial({
        transactionId: randomUUID(),
        accountId,
        amount: { value: '1.00', currency: 'DKK' },
        title: 'Load',
        type: 'domesticCreditTransfer',
        recipientBban: '12345678901234',
      });
      const post = (): Promise<boolean> =>
        new Promise((resolve) => {
          client.post(posting, (error) => {
            const key = `ledger ${error === null ? 'OK' : error.code}`;
            this.#report.answers[key] = (this.#report.answers[key] ?? 0) + 1;
            resolve(error === null);
          });
        });
      while (!(await post())) await pause(PAUSE_MS);
      this.#booked.add(posting.transactionId);
      await pause(PAUSE_MS);
    }
    client.close();
  }
}

/** The status, and for a 503 the message. */
const outcomeOf = ({ status, body }: Answer): string =>
  status === 503 ? `503 ${errorIn(body).message}` : String(status);

/**
 * Whether an answer is the expected one, where a 404 must come from the service itself, or a documented 503 with Retry-After; the
 * token endpoint answers in the form of OAuth.
 */
function isFine({ status, retryAfter, body }: Answer, wanted: number): boolean {
  const { code } = errorIn(body);
  if (status === 503)
    return retryAfter !== undefined && (code === 'UNAVAILABLE' || code === 'temporarily_unavailable');
  return status === wanted && (status !== 404 || code === 'RESOURCE_UNKNOWN');
}

/** The message of an error body; undefined for any other body. */
function errorIn(body: string): { code?: string; message?: string } {
  try {
    const { errorCode, message, error, error_description } = JSON.parse(body) as Record<string, string>;
    return { code: errorCode ?? error, message: message ?? error_description };
  } catch {
    return {};
  }
}

const order = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as LoadOrder;
const load = new Load(order);
const stop = await load.open();
const lines = createInterface(process.stdin);
const say = (): void => console.log(JSON.stringify(load.report()));
say();
lines.on('line', say);
await once(lines, 'close');
await stop();
say();
