import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { type Applicant, newApplicant, register, REGISTRATION } from './running.ts';
import { useRegistrations } from './suite.ts';

const suite = useRegistrations({ replicas: 2 });

let applicant: Applicant;

beforeEach(async () => {
  applicant = await newApplicant(suite.peers);
});

const count = async (table: 'client' | 'registration_request' | 'certificate'): Promise<number> =>
  Number((await suite.sql.query<{ count: string }>(`SELECT count(*) FROM ${table}`)).rows[0]!.count);

describe('POST /tpp (§4.2, §5.2)', () => {
  it('answers 201 with clientId and clientSecret, and nothing else', async () => {
    const { status, body } = await register(suite.a.origin, applicant);
    expect(status).toBe(201);
    expect(body).toEqual({
      clientId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      clientSecret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
  });

  it('stores the client with the display name of its certificate, the whole chain, and no secret', async () => {
    const { body } = await register(suite.a.origin, applicant);
    const { rows } = await suite.sql.query(
      `SELECT name, display_name, organization_identifier, secret_hash,
              (SELECT array_agg(c.subject ORDER BY position) FROM certificate c
               JOIN certificate_chain ON chain_id = certificate_chain.id WHERE client_id = client.id) AS subjects,
              (SELECT der FROM certificate c JOIN certificate_chain ON chain_id = certificate_chain.id
               WHERE client_id = client.id AND position = 0) AS leaf
       FROM client WHERE id = $1`,
      [body.clientId],
    );
    expect(rows).toEqual([
      {
        name: 'Fjord Budget',
        display_name: 'Fjord Budget ApS',
        organization_identifier: applicant.organizationIdentifier,
        secret_hash: expect.any(Buffer),
        subjects: [
          expect.stringContaining('Fjord Budget ApS'),
          expect.stringContaining('Test Issuing CA'),
          expect.stringContaining('Test Root'),
        ],
        leaf: Buffer.from(applicant.qwac.chain[0]!),
      },
    ]);
    const dump = await suite.sql.query<{ row: string }>('SELECT client::text AS row FROM client');
    expect(dump.rows.map(({ row }) => row).join()).not.toContain(body.clientSecret);
  });

  it('accepts a subset of the roles of the certificate, and refuses other roles with 403', async () => {
    const aisp = await newApplicant(suite.peers, { roles: ['PSP_AI'] });
    expect(
      (await register(suite.a.origin, aisp, { body: { ...REGISTRATION, roles: ['PSP_AI'] } })).status,
    ).toBe(201);
    const clients = await count('client');
    const refused = await register(suite.a.origin, aisp);
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'ROLE_INVALID' } });
    expect(await count('client')).toBe(clients);
  });

  it('refuses an expired certificate with 403', async () => {
    const expired = await newApplicant(suite.peers, {
      notBefore: new Date(Date.now() - 10 * 86_400_000),
      notAfter: new Date(Date.now() - 86_400_000),
    });
    expect(await register(suite.a.origin, expired)).toMatchObject({
      status: 403,
      body: { errorCode: 'CERTIFICATE_EXPIRED' },
    });
  });

  it('refuses a certificate that is not valid yet with 403, with 60 s of tolerance for clocks', async () => {
    const validIn = (seconds: number): Promise<Applicant> =>
      newApplicant(suite.peers, { notBefore: new Date(Date.now() + seconds * 1_000) });
    expect((await register(suite.a.origin, await validIn(45))).status).toBe(201);
    expect(await register(suite.a.origin, await validIn(90))).toMatchObject({
      status: 403,
      body: {
        errorCode: 'CERTIFICATE_INVALID',
        message: expect.stringMatching(/not valid before .* Wait until its validity begins/),
      },
    });
  });

  it('creates another client when the same certificate registers again', async () => {
    const [one, other] = [
      await register(suite.a.origin, applicant),
      await register(suite.a.origin, applicant),
    ];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.body.clientId).not.toBe(other.body.clientId);
  });
});

describe('X-Request-ID on POST /tpp (§4.2)', () => {
  it('gives a retry the same client, without its secret', async () => {
    const requestId = randomUUID();
    const first = await register(suite.a.origin, applicant, { requestId });
    const { name, roles, redirectUris } = REGISTRATION;
    const reordered = { redirectUris, roles: roles.toReversed(), name: `  ${name} ` };
    for (const { origin: anyReplica } of [suite.a, suite.b])
      for (const body of [REGISTRATION, reordered]) {
        const retry = await register(anyReplica, applicant, { requestId, body });
        expect(retry).toMatchObject({ status: 201, body: { clientId: first.body.clientId } });
        expect(retry.body).not.toHaveProperty('clientSecret');
        expect(retry.headers.get('x-request-id')).toBe(requestId);
      }
  });

  it('refuses the same id with another body', async () => {
    const requestId = randomUUID();
    await register(suite.a.origin, applicant, { requestId });
    const clients = await count('client');
    const body = { ...REGISTRATION, name: 'Another' };
    expect(await register(suite.a.origin, applicant, { requestId, body })).toMatchObject({
      status: 409,
      body: { errorCode: 'IDEMPOTENCY_CONFLICT' },
    });
    expect(await count('client')).toBe(clients);
  });

  it('separates the ids of different organizations', async () => {
    const requestId = randomUUID();
    const one = await register(suite.a.origin, applicant, { requestId });
    const other = await register(suite.a.origin, await newApplicant(suite.peers), { requestId });
    expect(other.body.clientId).not.toBe(one.body.clientId);
    expect(other.body).toHaveProperty('clientSecret');
  });

  it('recognizes the organization by its renewed certificate', async () => {
    const { organizationIdentifier } = applicant;
    const requestId = randomUUID();
    const first = await register(suite.a.origin, applicant, { requestId });
    const renewed = await newApplicant(suite.peers, { organizationIdentifier });
    expect((await register(suite.a.origin, renewed, { requestId })).body).toEqual({
      clientId: first.body.clientId,
    });
  });

  it('stores nothing when the caller sent none', async () => {
    const remembered = await count('registration_request');
    const { headers, status } = await register(suite.a.origin, applicant);
    expect(status).toBe(201);
    expect(headers.get('x-request-id')).toMatch(/^.+$/);
    expect(await count('registration_request')).toBe(remembered);
  });

  it('lets concurrent repetitions wait for the first: one client, one secret, over two replicas', async () => {
    const clients = await count('client');
    const requestId = randomUUID();
    const gate = await suite.sql.connect();
    await gate.query('BEGIN');
    await gate.query('SELECT revision FROM client_revision FOR UPDATE');
    const twins = [suite.a, suite.b].flatMap(({ origin: replica }) => [
      register(replica, applicant, { requestId }),
      register(replica, applicant, { requestId }),
    ]);
    try {
      await until(async () => (await waitingTransactions()) >= twins.length, {
        what: 'all twins wait in the database',
      });
    } finally {
      await gate.query('COMMIT');
      gate.release();
    }
    const answers = await Promise.all(twins);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.clientId)).size).toBe(1);
    expect(answers.filter(({ body }) => 'clientSecret' in body)).toHaveLength(1);
    expect(await count('client')).toBe(clients + 1);
  });

  async function waitingTransactions(): Promise<number> {
    const { rows } = await suite.sql.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'registration'`,
    );
    return Number(rows[0]!.count);
  }
});

describe('a malformed POST /tpp changes nothing (§7: 400)', () => {
  const faults: [title: string, body: unknown, path: string | undefined][] = [
    ['no JSON', '{"name":', undefined],
    ['no object', [], ''],
    ['an empty object', {}, 'name'],
    ['a missing name', { ...REGISTRATION, name: undefined }, 'name'],
    ['a blank name', { ...REGISTRATION, name: '  ' }, 'name'],
    ['a name of 201 characters', { ...REGISTRATION, name: 'n'.repeat(201) }, 'name'],
    ['a name with NUL', { ...REGISTRATION, name: 'a\0b' }, 'name'],
    [
      'a name with half a character',
      '{"name":"\\ud800","roles":["PSP_AI"],"redirectUris":["https://a.b"]}',
      'name',
    ],
    ['a name that is a number', { ...REGISTRATION, name: 1 }, 'name'],
    ['no role', { ...REGISTRATION, roles: [] }, 'roles'],
    ['an unknown role', { ...REGISTRATION, roles: ['PSP_AS'] }, 'roles.0'],
    ['a role twice', { ...REGISTRATION, roles: ['PSP_AI', 'PSP_AI'] }, 'roles'],
    ['roles as text', { ...REGISTRATION, roles: 'PSP_AI' }, 'roles'],
    ['no redirect URI', { ...REGISTRATION, redirectUris: [] }, 'redirectUris'],
    [
      'a redirect URI twice',
      { ...REGISTRATION, redirectUris: ['https://a.b/c', 'https://A.b:443/c'] },
      'redirectUris',
    ],
    ['a redirect URI over http', { ...REGISTRATION, redirectUris: ['http://a.b/'] }, 'redirectUris.0'],
    ['a null redirect URI', { ...REGISTRATION, redirectUris: [null] }, 'redirectUris.0'],
    ['an unknown field', { ...REGISTRATION, clientSecret: 'mine' }, 'clientSecret'],
    ['JSON that is nested too deep', `${'['.repeat(40)}${']'.repeat(40)}`, undefined],
  ];

  it.each(faults)('%s', async (_title, body, path) => {
    const clients = await count('client');
    const answer = await register(suite.a.origin, applicant, { body, requestId: randomUUID() });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'FORMAT_ERROR' } });
    const details = (answer.body.details ?? []) as { path: string }[];
    const named = path === undefined ? [] : [path];
    expect(details.map((detail) => detail.path)).toEqual(expect.arrayContaining(named));
    expect(await count('client')).toBe(clients);
  });
});
