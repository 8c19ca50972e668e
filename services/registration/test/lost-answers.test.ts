import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import type { Answer } from '@kontoport/testing/answer';
import { type Applicant, newApplicant, register, REGISTRATION } from './running.ts';
import { useRegistrations } from './suite.ts';

const suite = useRegistrations({ replicas: 2 });

let applicant: Applicant;
let requestId: string;

beforeEach(async () => {
  applicant = await newApplicant(suite.peers);
  requestId = randomUUID();
});

const again = ({ origin } = suite.a, body: unknown = REGISTRATION): Promise<Answer> =>
  register(origin, applicant, { requestId, body });

async function stored(): Promise<{ answer: string; clientId: string; revision: string } | undefined> {
  const { rows } = await suite.sql.query<{ answer: string; clientId: string; revision: string }>(
    `SELECT answer, client_id AS "clientId", revision FROM registration_request JOIN client ON client.id = client_id
     WHERE request_id = $1`,
    [requestId],
  );
  return rows[0];
}

const becomes = (answer: string): Promise<unknown> =>
  until(async () => (await stored())?.answer === answer, { what: `the answer to be ${answer}` });

/** Whether the secret is the client's. */
async function isRight({ clientId, clientSecret }: Record<string, unknown>): Promise<boolean> {
  const stub = createClient(ClientCredentialsServiceClient, `127.0.0.1:${suite.b.grpcPort}`);
  try {
    const { client } = await call(stub, stub.verify, {
      clientId: String(clientId),
      clientSecret: String(clientSecret),
      certificateThumbprint: applicant.thumbprint,
    });
    return client !== undefined;
  } finally {
    stub.close();
  }
}

/** Registers, and disconnects when the client is stored and the answer still waits for a silent watcher. */
async function registerAndHangUp(): Promise<void> {
  const watcher = randomUUID();
  await suite.sql.query(
    `INSERT INTO watcher (watcher_id, service, applied_revision, seen_at) VALUES ($1, 'slow', 0, now() + interval '1 h')`,
    [watcher],
  );
  const away = new AbortController();
  const broken = fetch(`${suite.a.origin}/tpp`, {
    method: 'POST',
    headers: { ...applicant.headers, 'x-request-id': requestId },
    body: JSON.stringify(REGISTRATION),
    signal: away.signal,
  }).catch(() => 'broken');
  await until(async () => (await stored()) !== undefined, { what: 'the client is stored' });
  away.abort();
  expect(await broken).toBe('broken');
  await suite.sql.query('DELETE FROM watcher WHERE watcher_id = $1', [watcher]);
}

/** Sets the state of the request's answer, as of `secondsAgo` seconds ago. */
const setAnswer = (answer: string, secondsAgo: number) =>
  suite.sql.query(
    `UPDATE registration_request SET answer = $2, answered_at = clock_timestamp() - $3 * interval '1 s'
     WHERE request_id = $1`,
    [requestId, answer, secondsAgo],
  );

describe('an answer that was not sent is not the first successful one (§4.2)', () => {
  it('the repetition of an answer that was sent whole has no secret', async () => {
    expect((await again()).body).toHaveProperty('clientSecret');
    await becomes('given');
    expect((await again(suite.b)).body).toEqual({ clientId: (await stored())!.clientId });
  });

  it('after a lost connection the repetition has a new, valid secret, and the next one has none', async () => {
    await registerAndHangUp();
    await becomes('lost');
    const before = (await stored())!;
    const retry = await again(suite.b);
    expect(retry).toMatchObject({
      status: 201,
      body: { clientId: before.clientId, clientSecret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) },
    });
    expect(await isRight(retry.body)).toBe(true);
    expect((await again()).body).toEqual({ clientId: before.clientId });
    expect(await isRight(retry.body)).toBe(true);
  });

  it('the old secret is invalid from then on, and caches see a new revision', async () => {
    const first = await again();
    await becomes('given');
    const before = BigInt((await stored())!.revision);
    await setAnswer('lost', 1);
    const second = await again();
    expect([await isRight(first.body), await isRight(second.body)]).toEqual([false, true]);
    expect(BigInt((await stored())!.revision)).toBeGreaterThan(before);
  });

  it('one of concurrent repetitions over two replicas gets the secret', async () => {
    await again();
    await becomes('given');
    await setAnswer('lost', 1);
    const answers = await Promise.all([suite.a, suite.b, suite.a, suite.b].map((replica) => again(replica)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const secrets = answers.filter(({ body }) => 'clientSecret' in body);
    expect(secrets).toHaveLength(1);
    expect(await isRight(secrets[0]!.body)).toBe(true);
  });

  it('a repetition waits for a pending answer, and gets the secret when that is lost', async () => {
    await again();
    await becomes('given');
    await setAnswer('pending', 0);
    const retry = again();
    await until(async () => (await waiting()) > 0, { what: 'it looks for the answer' });
    await setAnswer('lost', 0);
    expect((await retry).body).toHaveProperty('clientSecret');
  });

  it('an answer that is pending for more than 30 s counts as lost', async () => {
    await again();
    await becomes('given');
    await setAnswer('pending', 20);
    expect((await again()).body).not.toHaveProperty('clientSecret');
    await setAnswer('pending', 31);
    expect((await again()).body).toHaveProperty('clientSecret');
  });

  it('a used secret has arrived and stays valid', async () => {
    const first = await again();
    await becomes('given');
    expect(await isRight(first.body)).toBe(true);
    await setAnswer('lost', 1);
    expect((await again()).body).toEqual({ clientId: first.body.clientId });
    expect(await isRight(first.body)).toBe(true);
  });

  async function waiting(): Promise<number> {
    const { rows } = await suite.sql.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'registration' AND query ~ '^SELECT.*"registration_request"'`,
    );
    return rows[0]!.count;
  }
});
