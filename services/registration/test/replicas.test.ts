import { randomBytes, randomUUID } from 'node:crypto';
import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { type Answer, ask } from '@kontoport/testing/answer';
import { edgeHeaders, type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { openTcpProxy, type TcpProxy } from '@kontoport/testing/tcp-proxy';
import { type Applicant, newApplicant, register, registrationEnv, startBroker } from './running.ts';

/** Where nobody listens. */
const NOBODY = '127.0.0.1:1';

/** A process, and what it is started with again. */
interface Replica {
  origin: string;
  process: ServiceProcess;
  start(): Promise<void>;
}

let peers: FakePeers;
let broker: Broker;
let databases: TestDatabase[];
/** Two of registration, three of payments as of any service, and one of auth. */
let registrations: (Replica & { grpcPort: number })[];
let services: Replica[];
let auth: Replica;
/** Between each replica of payments and registration. */
let wires: TcpProxy[];

async function startReplica(service: string, env: Record<string, string>): Promise<Replica> {
  const [http, ops] = [String(await freePort()), String(await freePort())];
  const whole = { ...env, HTTP_PORT: http, OPS_PORT: ops };
  const replica: Replica = {
    origin: `http://127.0.0.1:${http}`,
    process: startServiceProcess({ service, env: whole }),
    async start() {
      replica.process = startServiceProcess({ service, env: whole });
      await replica.process.ready();
    },
  };
  return replica;
}

beforeAll(async () => {
  peers = await startFakePeers();
  broker = await startBroker();
  databases = [await testDatabase('registration'), await testDatabase('auth')];
  const [ofRegistration, ofAuth] = databases as [TestDatabase, TestDatabase];
  const authPort = await freePort();
  const common = { ...peers.env, AUTH_JWKS_URL: `http://127.0.0.1:${authPort}/.well-known/jwks.json` };
  registrations = [];
  for (const grpcPort of [await freePort(), await freePort()]) {
    const env = {
      ...registrationEnv({ peers, databaseUrl: ofRegistration.url, broker, grpcPort }),
      ...common,
    };
    const own = { ...env, REGISTRATION_GRPC: `127.0.0.1:${grpcPort}` };
    registrations.push(Object.assign(await startReplica('registration', own), { grpcPort }));
  }
  const [first, second] = [registrations[0]!, registrations[1]!];
  wires = [];
  services = [];
  for (const { grpcPort } of [first, second, second]) {
    const wire = await openTcpProxy({ port: grpcPort });
    wires.push(wire);
    services.push(
      await startReplica('payments', {
        ...common,
        REGISTRATION_GRPC: `127.0.0.1:${wire.port}`,
        GRPC_PORT: String(await freePort()),
        ACCOUNTS_GRPC: NOBODY,
        KAFKA_BROKERS: NOBODY,
        USER_URL: 'https://user.bank.test',
      }),
    );
  }
  const env = {
    ...common,
    REGISTRATION_GRPC: `127.0.0.1:${first.grpcPort}`,
    HTTP_PORT: String(authPort),
    OPS_PORT: String(await freePort()),
    USER_PORT: String(await freePort()),
    DATABASE_URL: ofAuth.url,
    PAYMENTS_GRPC: NOBODY,
    ACCOUNTS_GRPC: NOBODY,
    USER_URL: 'https://user.bank.test',
    SECRETS_KEY: randomBytes(32).toString('base64url'),
  };
  auth = {
    origin: `http://127.0.0.1:${authPort}`,
    process: startServiceProcess({ service: 'auth', env }),
    start: () => Promise.reject(new Error('it is never restarted')),
  };
  await Promise.all([...registrations, ...services, auth].map(({ process }) => process.ready(60_000)));
});

afterAll(async () => {
  await Promise.all([...services, auth, ...registrations].map(({ process }) => process.kill('SIGKILL')));
  for (const wire of wires) await wire.close();
  for (const database of databases) await database.drop();
  await peers.close();
  await broker.stop();
});

interface Tpp {
  applicant: Applicant;
  clientId: string;
  clientSecret: string;
  token: string;
}

function askToken({ applicant, clientId, clientSecret }: Omit<Tpp, 'token'>): Promise<Answer> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return ask('POST', `${auth.origin}/oauth2/token`, {
    headers: {
      ...edgeHeaders(applicant.qwac.chain),
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
}

async function newTpp(): Promise<Tpp> {
  const applicant = await newApplicant(peers);
  const { body } = await register(registrations[1]!.origin, applicant);
  const client = {
    applicant,
    clientId: String(body.clientId),
    clientSecret: String(body.clientSecret),
  };
  return { ...client, token: String((await askToken(client)).body.access_token) };
}

const headersOf = ({ applicant, token }: Tpp): Record<string, string> => ({
  ...edgeHeaders(applicant.qwac.chain),
  authorization: `Bearer ${token}`,
});

/** A draft that there is not: 404 for whoever is let in. */
const enter = async ({ origin }: Replica, tpp: Tpp): Promise<number> =>
  (
    await ask('GET', `${origin}/payments/drafts/domestic-credit-transfer/${randomUUID()}`, {
      headers: headersOf(tpp),
    })
  ).status;

/** What each replica of each service answers at this moment. */
async function everywhere(tpp: Tpp): Promise<number[]> {
  const read = ({ origin }: Replica) =>
    ask('GET', `${origin}/tpp/${tpp.clientId}`, { headers: headersOf(tpp) });
  const answers = await Promise.all([
    ...services.map((replica) => enter(replica, tpp)),
    ...registrations.map(async (replica) => (await read(replica)).status),
  ]);
  return answers;
}

const LET_IN = [404, 404, 404, 200, 200];
const REFUSED = [401, 401, 401, 401, 401];

const remove = async (tpp: Tpp): Promise<number> =>
  (await ask('DELETE', `${registrations[0]!.origin}/tpp/${tpp.clientId}`, { headers: headersOf(tpp) }))
    .status;

describe('three replicas of a service, two of registration and auth, each a process of its own (§4.2)', () => {
  it('all refuse a client as soon as its DELETE is answered', async () => {
    for (let round = 0; round < 5; round++) {
      const tpp = await newTpp();
      await until(async () => (await everywhere(tpp)).join() === LET_IN.join(), { what: 'it is known' });
      expect(await remove(tpp)).toBe(204);
      const [statuses, token] = await Promise.all([everywhere(tpp), askToken(tpp)]);
      expect(statuses).toEqual(REFUSED);
      expect(token.status).toBe(401);
    }
  });

  it('all refuse a token as soon as its revocation is answered, and take another of the client', async () => {
    for (let round = 0; round < 5; round++) {
      const tpp = await newTpp();
      const other = { ...tpp, token: String((await askToken(tpp)).body.access_token) };
      await until(async () => (await everywhere(tpp)).join() === LET_IN.join(), { what: 'it is known' });
      const credentials = Buffer.from(`${tpp.clientId}:${tpp.clientSecret}`).toString('base64');
      const { status } = await ask('POST', `${auth.origin}/oauth2/revoke`, {
        headers: {
          ...edgeHeaders(tpp.applicant.qwac.chain),
          authorization: `Basic ${credentials}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: `token=${tpp.token}`,
      });
      expect(status).toBe(200);
      expect(await everywhere(tpp)).toEqual(REFUSED);
      expect(await everywhere(other)).toEqual(LET_IN);
    }
  });

  it('one that is cut off is closed when a DELETE is answered, and learns of it once it is back', async () => {
    const [gone, stays] = [await newTpp(), await newTpp()];
    const cutOff = services[2]!;
    await until(async () => (await enter(cutOff, stays)) === 404, { what: 'it is known' });
    wires[2]!.stall();
    expect(await remove(gone)).toBe(204);
    // Nobody decides from a memory that may be old: neither for the one nor for the other.
    expect([await enter(cutOff, gone), await enter(cutOff, stays)]).toEqual([503, 503]);
    expect(await everywhere(stays)).toEqual([404, 404, 503, 200, 200]);
    wires[2]!.resume();
    await until(async () => (await enter(cutOff, stays)) === 404, { what: 'it is back' });
    expect(await enter(cutOff, gone)).toBe(401);
  });

  it('one that is restarted takes nobody who went while it was away, and everybody who came', async () => {
    const gone = await newTpp();
    const restarted = services[1]!;
    await restarted.process.kill('SIGKILL');
    expect(await remove(gone)).toBe(204);
    const came = await newTpp();
    await restarted.start();
    expect(await enter(restarted, gone)).toBe(401);
    expect(await enter(restarted, came)).toBe(404);
  });

  it('a registration that is killed and comes back leaves nobody without it', async () => {
    const [tpp, late] = [await newTpp(), await newTpp()];
    const killed = registrations[1]!;
    await killed.process.kill('SIGKILL');
    expect(await remove(tpp)).toBe(204);
    // Its watchers have lost their leases by then, or have none that is older.
    for (const replica of services) expect(await enter(replica, tpp)).not.toBe(404);
    await killed.start();
    await until(async () => (await everywhere(late)).join() === LET_IN.join(), {
      what: 'all are back',
    });
    expect(await everywhere(tpp)).toEqual(REFUSED);
  });
});
