import { createHash, randomBytes } from 'node:crypto';
import { createLogger, Lifecycle } from '@kontoport/runtime';
import { edgeHeaders, type Peers } from '@kontoport/testing/peers';
import { freePort } from '@kontoport/embedded/port';
import { type TestQwac, testQwac } from '@kontoport/testing/qwac';
import { until } from '@kontoport/embedded/wait';
import { start } from '../src/start.ts';

const PEPPER = randomBytes(32).toString('base64url');

/** The whole environment of a registration that watches itself. */
export function registrationEnv(options: {
  peers: Peers;
  databaseUrl: string;
  grpcPort: number;
}): Record<string, string> {
  return {
    ...options.peers.env,
    GRPC_PORT: String(options.grpcPort),
    REGISTRATION_GRPC: `127.0.0.1:${options.grpcPort}`,
    DATABASE_URL: options.databaseUrl,
    CLIENT_SECRET_PEPPER: PEPPER,
  };
}

/** A registration that runs in this process. */
export interface RunningRegistration {
  origin: string;
  grpcPort: number;
  opsPort: number;
  close(): Promise<void>;
}

/** Starts a registration on a database and waits until it is ready. */
export async function startRegistration(options: {
  peers: Peers;
  databaseUrl: string;
  grpcPort?: number;
}): Promise<RunningRegistration> {
  const { peers, databaseUrl, grpcPort = await freePort() } = options;
  const lifecycle = new Lifecycle();
  const env = registrationEnv({ peers, databaseUrl, grpcPort });
  const { httpPort, opsPort } = await start({ lifecycle, env });
  await until(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status === 200, {
    what: 'registration is ready',
  });
  return {
    origin: `http://127.0.0.1:${httpPort}`,
    grpcPort,
    opsPort,
    close: () => lifecycle.close(createLogger({ service: 'test', level: 'silent' })),
  };
}

/** A TPP with its certificate; it has not registered yet. */
export interface Applicant {
  qwac: TestQwac;
  thumbprint: string;
  organizationIdentifier: string;
  /** The edge's headers with its certificate, and the content type of a JSON body. */
  headers: Record<string, string>;
}

/** Mints the certificate of a new TPP. */
export async function newApplicant(
  peers: Peers,
  options: {
    roles?: readonly ('PSP_AI' | 'PSP_PI')[];
    organizationIdentifier?: string;
    notBefore?: Date;
    notAfter?: Date;
  } = {},
): Promise<Applicant> {
  const { organizationIdentifier = `PSDDK-DFSA-${randomBytes(4).toString('hex')}` } = options;
  const qwac = await testQwac({
    issuer: peers.issuing,
    organizationName: 'Fjord Budget ApS',
    ...options,
    organizationIdentifier,
  });
  return {
    qwac,
    thumbprint: createHash('sha256').update(qwac.chain[0]!).digest('base64url'),
    organizationIdentifier,
    headers: { ...edgeHeaders(qwac.chain), 'content-type': 'application/json' },
  };
}

/** What a well-behaved TPP asks for. */
export const REGISTRATION = {
  name: 'Fjord Budget',
  roles: ['PSP_AI', 'PSP_PI'],
  redirectUris: ['https://fjord.example/callback'],
};

/** An answer over HTTP, its JSON body included. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

/** Sends a request and reads the answer. */
export async function send(
  method: string,
  url: string,
  options: { headers: Record<string, string>; body?: unknown },
): Promise<Answer> {
  const { headers, body } = options;
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    headers: response.headers,
  };
}

/** POST /tpp. */
export function register(
  origin: string,
  applicant: Applicant,
  options: { body?: unknown; requestId?: string } = {},
): Promise<Answer> {
  const { body = REGISTRATION, requestId } = options;
  return send('POST', `${origin}/tpp`, {
    headers: { ...applicant.headers, ...(requestId === undefined ? {} : { 'x-request-id': requestId }) },
    body,
  });
}

/** A client that has registered. */
export interface RegisteredTpp {
  applicant: Applicant;
  clientId: string;
  clientSecret: string;
  /** Certificate and a fresh access token. */
  headers: Record<string, string>;
}

/** Registers a new TPP. */
export async function registerTpp(peers: Peers, origin: string): Promise<RegisteredTpp> {
  const applicant = await newApplicant(peers);
  const { status, body } = await register(origin, applicant);
  if (status !== 201) throw new Error(`registration was answered with ${status}: ${JSON.stringify(body)}`);
  const { clientId, clientSecret } = body as { clientId: string; clientSecret: string };
  const token = await peers.token({
    clientId,
    thumbprint: applicant.thumbprint,
    scope: 'PSP_AI PSP_PI',
  });
  return {
    applicant,
    clientId,
    clientSecret,
    headers: { ...edgeHeaders(applicant.qwac.chain), authorization: `Bearer ${token}` },
  };
}
