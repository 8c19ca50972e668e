import { createHash, randomBytes } from 'node:crypto';
import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { untilReady } from '@kontoport/embedded/until-ready';
import { topics } from '@kontoport/events';
import { startInProcess } from '@kontoport/service';
import { type Answer, ask } from '@kontoport/testing/answer';
import { edgeHeaders, type FakePeers } from '@kontoport/testing/fake-peers';
import { type TestQwac, testQwac } from '@kontoport/testing/qwac';
import { registration } from '../src/service.ts';

export const PEPPER = randomBytes(32).toString('base64url');

/** Starts the broker of audit records. */
export const startBroker = (): Promise<Broker> => startEmbeddedKafka([topics.audit]);

/** The whole environment of a registration that watches itself. */
export function registrationEnv(options: {
  peers: FakePeers;
  databaseUrl: string;
  grpcPort: number;
  broker: Pick<Broker, 'brokers'>;
}): Record<string, string> {
  return {
    ...options.peers.env,
    GRPC_PORT: String(options.grpcPort),
    REGISTRATION_GRPC: `127.0.0.1:${options.grpcPort}`,
    DATABASE_URL: options.databaseUrl,
    CLIENT_SECRET_PEPPER: PEPPER,
    KAFKA_BROKERS: options.broker.brokers.join(','),
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
  peers: FakePeers;
  databaseUrl: string;
  grpcPort?: number;
  /** Absent: a broker of its own. */
  broker?: Broker;
  /** Replaces variables. */
  env?: Record<string, string>;
}): Promise<RunningRegistration> {
  const { peers, databaseUrl, grpcPort = await freePort() } = options;
  const own = options.broker === undefined ? await startBroker() : undefined;
  const broker = options.broker ?? own!;
  const env = { ...registrationEnv({ peers, databaseUrl, grpcPort, broker }), ...options.env };
  const { addresses, opsPort, close } = await startInProcess(registration, env);
  await untilReady({ name: 'the service', opsPort, limitMs: 60_000 });
  return {
    origin: addresses.registration_url!,
    grpcPort,
    opsPort,
    async close() {
      await close();
      await own?.stop();
    },
  };
}

/** A TPP with its certificate, before its registration. */
export interface Applicant {
  qwac: TestQwac;
  thumbprint: string;
  organizationIdentifier: string;
  /** The edge's headers with its certificate, and the content type of a JSON body. */
  headers: Record<string, string>;
}

/** Mints the certificate of a new TPP. */
export async function newApplicant(
  peers: FakePeers,
  options: {
    roles?: readonly ('PSP_AI' | 'PSP_PI' | 'PSP_AS' | 'PSP_IC')[];
    organizationIdentifier?: string;
    organizationName?: string;
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

/** The body of a valid registration. */
export const REGISTRATION = {
  name: 'Fjord Budget',
  roles: ['PSP_AI', 'PSP_PI'],
  redirectUris: ['https://fjord.example/callback'],
};

/** POST /tpp. */
export function register(
  origin: string,
  applicant: Applicant,
  options: { body?: unknown; requestId?: string } = {},
): Promise<Answer> {
  const { body = REGISTRATION, requestId } = options;
  return ask('POST', `${origin}/tpp`, {
    headers: { ...applicant.headers, ...(requestId === undefined ? {} : { 'x-request-id': requestId }) },
    body,
  });
}

/** A registered client. */
export interface RegisteredTpp {
  applicant: Applicant;
  clientId: string;
  clientSecret: string;
  /** Certificate and a fresh access token. */
  headers: Record<string, string>;
}

/** Registers a new TPP. */
export async function registerTpp(peers: FakePeers, origin: string): Promise<RegisteredTpp> {
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
