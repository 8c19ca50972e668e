import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import { type Answer, ask } from '@kontoport/testing/answer';
import { insertClients } from '@kontoport/testing/registered-clients';
import {
  type Applicant,
  newApplicant,
  register,
  type RegisteredTpp,
  REGISTRATION,
  startRegistration,
} from './running.ts';
import { useRegistrations } from './suite.ts';

const suite = useRegistrations({ replicas: 2 });

const statuses = (answers: readonly Answer[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

/** Calls `ask` this many times concurrently, alternating between both replicas. */
const together = (times: number, ask: (origin: string) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, (_, i) => ask((i % 2 === 0 ? suite.a : suite.b).origin)));

/** Stores that the organization's whole allowance has been available for this long. */
const rested = ({ organizationIdentifier }: Applicant, since: string) =>
  suite.sql.query('INSERT INTO registration_rate VALUES ($1, now() - $2::interval)', [
    organizationIdentifier,
    since,
  ]);

const liveClients = async ({ organizationIdentifier }: Applicant): Promise<number> =>
  (
    await suite.sql.query<{ count: number }>(
      'SELECT count(*)::int FROM client WHERE organization_identifier = $1 AND deleted_at IS NULL',
      [organizationIdentifier],
    )
  ).rows[0]!.count;

describe('an organization has at most 1,000 live clients (§4.2)', () => {
  it('registers the thousandth and refuses one more with 409, also concurrently over several replicas', async () => {
    const applicant = await newApplicant(suite.peers);
    await insertClients(suite.sql, { count: 995, organizationIdentifier: applicant.organizationIdentifier });
    const answers = await together(12, (replica) => register(replica, applicant));
    expect(statuses(answers)).toEqual([...Array<number>(5).fill(201), ...Array<number>(7).fill(409)]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      errorCode: 'STATUS_INVALID',
      message: 'An organization has at most 1000 clients; delete one first.',
    });
    expect(await liveClients(applicant)).toBe(1_000);
    expect((await register(suite.a.origin, await newApplicant(suite.peers))).status).toBe(201);
  });

  it('a deleted client makes room, and a repeated request id needs none', async () => {
    const applicant = await newApplicant(suite.peers);
    const { organizationIdentifier } = applicant;
    const requestId = randomUUID();
    const first = await register(suite.a.origin, applicant, { requestId });
    await insertClients(suite.sql, { count: 999, organizationIdentifier });
    expect((await register(suite.a.origin, applicant)).status).toBe(409);
    const again = await register(suite.a.origin, applicant, { requestId });
    expect([again.status, again.body.clientId]).toEqual([201, first.body.clientId]);
    const token = await suite.peers.token({
      clientId: String(first.body.clientId),
      thumbprint: applicant.thumbprint,
      scope: 'PSP_AI',
    });
    const headers = { ...applicant.headers, authorization: `Bearer ${token}` };
    const url = `${suite.a.origin}/tpp/${String(first.body.clientId)}`;
    expect((await ask('DELETE', url, { headers })).status).toBe(204);
    expect((await register(suite.a.origin, applicant)).status).toBe(201);
    expect((await register(suite.a.origin, applicant)).status).toBe(409);
  });
});

describe('an organization registers 300 times a minute, 100 times at once (§4.2)', () => {
  it('accepts exactly as many concurrent ones as allowed, over all replicas, without effect on another organization', async () => {
    const env = { REGISTRATIONS_PER_MINUTE: '1', REGISTRATION_BURST: '5' };
    const strict = [await suite.start({ env }), await suite.start({ env })];
    const applicant = await newApplicant(suite.peers);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => register(strict[i % 2]!.origin, applicant)),
    );
    expect(statuses(answers)).toEqual([...Array<number>(5).fill(201), ...Array<number>(7).fill(429)]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ errorCode: 'RATE_LIMITED' });
    expect(refused.body.message).toMatch(/registers too often; repeat the request in \d+ s/);
    expect(await liveClients(applicant)).toBe(5);
    expect((await register(strict[0]!.origin, await newApplicant(suite.peers))).status).toBe(201);
    await Promise.all(strict.map((replica) => replica.close()));
  });

  it('allows no larger burst after a pause', async () => {
    const env = { REGISTRATIONS_PER_MINUTE: '1', REGISTRATION_BURST: '2' };
    const strict = await suite.start({ env });
    const applicant = await newApplicant(suite.peers);
    await rested(applicant, '1 day');
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await register(strict.origin, applicant));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    await strict.close();
  });

  const owing = async (aheadMs: number): Promise<Applicant> => {
    const applicant = await newApplicant(suite.peers);
    await suite.sql.query(
      "INSERT INTO registration_rate VALUES ($1, now() + $2 * interval '1 millisecond')",
      [applicant.organizationIdentifier, aheadMs],
    );
    return applicant;
  };

  it('accepts the hundredth of a burst', async () => {
    expect((await register(suite.a.origin, await owing(99 * 200 - 100))).status).toBe(201);
  });

  it('sends Retry-After in seconds, and accepts the next one then', async () => {
    const applicant = await owing(99 * 200 + 5_000);
    const refused = await register(suite.a.origin, applicant);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(5);
    await suite.sql.query(
      `UPDATE registration_rate SET full_at = full_at - $2 * interval '1 second' WHERE organization_identifier = $1`,
      [applicant.organizationIdentifier, seconds],
    );
    expect((await register(suite.a.origin, applicant)).status).toBe(201);
  });
});

describe('the bounds are configured', () => {
  it('per organization and per client', async () => {
    const small = await startRegistration({
      peers: suite.peers,
      databaseUrl: suite.databaseUrl,
      env: {
        CLIENTS_PER_ORGANIZATION: '1',
        REGISTRATIONS_PER_MINUTE: '1',
        REGISTRATION_BURST: '2',
        REDIRECT_URIS_PER_CLIENT: '2',
        REDIRECT_URI_CHARACTERS_PER_CLIENT: '60',
      },
    });
    const applicant = await newApplicant(suite.peers);
    const redirects = (...redirectUris: string[]) =>
      register(small.origin, applicant, { body: { ...REGISTRATION, redirectUris } });
    expect((await redirects('https://a.b/1', 'https://a.b/2', 'https://a.b/3')).status).toBe(409);
    expect((await redirects(`https://a.b/${'c'.repeat(60)}`)).status).toBe(409);
    expect((await register(small.origin, applicant)).status).toBe(201);
    expect((await register(small.origin, applicant)).status).toBe(409);
    const refused = await register(small.origin, applicant);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    await small.close();
  });
});

/** Counts the connections of client management that wait inside the database. */
const waitingForLocks = async (): Promise<number> =>
  (
    await suite.sql.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
       AND application_name = 'registration' AND state <> 'idle' AND wait_event_type = 'Lock'`,
    )
  ).rows[0]!.count;

describe('changes of one organization (§4.2)', () => {
  it('queue without a connection, a hundred at most, and delay no other organization', async () => {
    const change = (tpp: RegisteredTpp, uri: string): Promise<Answer> =>
      ask('PUT', `${suite.a.origin}/tpp/${tpp.clientId}/redirect-uris`, {
        ...tpp,
        body: { redirectUris: [uri] },
      });
    const [busy, neighbour] = [await suite.registerTpp(), await suite.registerTpp()];
    const lock = await suite.sql.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM client WHERE id = $1 FOR UPDATE', [busy.clientId]);
    let answered = 0;
    const changes = Array.from({ length: 104 }, async (_, at) => {
      const answer = await change(busy, `https://busy.example/${at}`);
      answered += 1;
      return answer;
    });
    await until(async () => answered === 1 && (await waitingForLocks()) === 3, {
      what: 'three are at work, a hundred wait',
    });
    expect((await change(neighbour, 'https://neighbour.example/')).status).toBe(200);
    expect(answered).toBe(1);
    await lock.query('ROLLBACK');
    lock.release();
    const refused = (await Promise.all(changes)).filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([{ status: 429, body: { errorCode: 'RATE_LIMITED' } }]);
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
  });
});

describe('a flood of registrations', () => {
  it('does not delay tokens: secrets are verified while every other connection is busy', async () => {
    const tpp = await suite.registerTpp();
    const stub = createClient(ClientCredentialsServiceClient, `127.0.0.1:${suite.a.grpcPort}`);
    const lock = await suite.sql.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT revision FROM client_revision FOR UPDATE');
    const applicants = await Promise.all(Array.from({ length: 12 }, () => newApplicant(suite.peers)));
    const flood = applicants.map((applicant) => register(suite.a.origin, applicant));
    await until(async () => (await waitingForLocks()) === 10, { what: 'the pool is full' });
    const { client } = await call(stub, stub.verify, {
      clientId: tpp.clientId,
      clientSecret: tpp.clientSecret,
      certificateThumbprint: tpp.applicant.thumbprint,
    });
    expect(client?.clientId).toBe(tpp.clientId);
    await lock.query('ROLLBACK');
    lock.release();
    stub.close();
    await Promise.all(flood);
  });
});

// Last, because every replica that starts later would read these tombstones.
describe('an organization has at most 10,000 tombstones (§4.2)', () => {
  const DAY = 86_400;

  const withRemains = async (remains: readonly { count: number; daysAgo: number }[]): Promise<Applicant> => {
    const applicant = await newApplicant(suite.peers);
    const { organizationIdentifier } = applicant;
    for (const { count, daysAgo } of remains)
      await insertClients(suite.sql, {
        count,
        organizationIdentifier,
        deleted: true,
        createdAt: `now() - interval '${daysAgo} days'`,
      });
    return applicant;
  };

  it('with one less it can register', async () => {
    expect((await register(suite.a.origin, await withRemains([{ count: 9_999, daysAgo: 1 }]))).status).toBe(
      201,
    );
  });

  it('with so many it gets 429 until the oldest are purged; others can register', async () => {
    const applicant = await withRemains([
      { count: 9_999, daysAgo: 2 },
      { count: 1, daysAgo: 29 },
    ]);
    const refused = await register(suite.a.origin, applicant, { requestId: randomUUID() });
    expect(refused).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED' } });
    expect(refused.body.message).toMatch(/10000 deleted clients/);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(DAY - 120);
    expect(seconds).toBeLessThanOrEqual(DAY + 60);
    expect((await register(suite.a.origin, await newApplicant(suite.peers))).status).toBe(201);
  });
});
