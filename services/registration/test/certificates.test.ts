import { until } from '@kontoport/embedded/wait';
import { type Answer, ask } from '@kontoport/testing/answer';
import { edgeHeaders } from '@kontoport/testing/fake-peers';
import { testCa } from '@kontoport/testing/qwac';
import { type Applicant, newApplicant, register, type RegisteredTpp, REGISTRATION } from './running.ts';
import { useRegistrations } from './suite.ts';

const DAY_MS = 86_400_000;

const suite = useRegistrations({ replicas: 2 });

/** POST /tpp/{clientId}/certificates. */
function add(tpp: RegisteredTpp, body: unknown, origin = suite.a.origin): Promise<Answer> {
  return ask('POST', `${origin}/tpp/${tpp.clientId}/certificates`, {
    headers: { ...tpp.headers, 'content-type': 'application/json' },
    body,
  });
}

/** Mints a further certificate of the client's organization. */
function renewed(tpp: RegisteredTpp, options: Parameters<typeof newApplicant>[1] = {}): Promise<Applicant> {
  const { organizationIdentifier } = tpp.applicant;
  return newApplicant(suite.peers, { organizationIdentifier, ...options });
}

const pem = ({ qwac }: Applicant): { certificate: string } => ({ certificate: qwac.fullChainPem });

/** Calls over another certificate with the token of the client. */
function readOver(tpp: RegisteredTpp, applicant: Applicant, origin = suite.a.origin): Promise<Answer> {
  const headers = { ...tpp.headers, ...edgeHeaders(applicant.qwac.chain) };
  return ask('GET', `${origin}/tpp/${tpp.clientId}`, { headers });
}

const chainsOf = async ({ clientId }: RegisteredTpp): Promise<number> =>
  (
    await suite.sql.query<{ count: number }>(
      'SELECT count(*)::int FROM certificate_chain WHERE client_id = $1',
      [clientId],
    )
  ).rows[0]!.count;

describe('POST /tpp/{clientId}/certificates (§4.2)', () => {
  it('answers 201 with the client, its new chain leaf to root beside the old one', async () => {
    const tpp = await suite.registerTpp();
    const { status, body } = await add(tpp, pem(await renewed(tpp)));
    expect(status).toBe(201);
    expect(body).toEqual((await ask('GET', `${suite.a.origin}/tpp/${tpp.clientId}`, tpp)).body);
    const subjects = ['Fjord Budget ApS', 'Test Issuing CA', 'Test Root'].map((name) => ({
      subject: expect.stringContaining(name),
    }));
    const chain = { certificates: subjects };
    expect(body).toMatchObject({ clientId: tpp.clientId, certificateChains: [chain, chain] });
    expect(body).not.toHaveProperty('clientSecret');
  });

  it('after the answer the client can call over either certificate, on every replica', async () => {
    const tpp = await suite.registerTpp();
    const next = await renewed(tpp);
    expect((await readOver(tpp, next)).status).toBe(401);
    await add(tpp, pem(next));
    const answers = [];
    for (const { origin } of [suite.a, suite.b])
      for (const applicant of [next, tpp.applicant]) answers.push(await readOver(tpp, applicant, origin));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('over an added certificate the next one can be added, and the client deleted', async () => {
    const tpp = await suite.registerTpp();
    const next = await renewed(tpp);
    await add(tpp, pem(next));
    const over = { ...tpp, headers: { ...tpp.headers, ...edgeHeaders(next.qwac.chain) } };
    expect((await add(over, pem(await renewed(tpp)))).status).toBe(201);
    const path = `${suite.a.origin}/tpp/${tpp.clientId}`;
    expect((await ask('DELETE', path, over)).status).toBe(204);
    expect((await ask('DELETE', path, over)).status).toBe(204);
    expect((await readOver(tpp, next)).status).toBe(401);
  });

  it('the same certificate again is 201 and is stored once, also concurrently over two replicas', async () => {
    const tpp = await suite.registerTpp();
    const body = pem(await renewed(tpp));
    const answers = await Promise.all(
      [suite.a, suite.b, suite.a, suite.b].map(({ origin }) => add(tpp, body, origin)),
    );
    answers.push(await add(tpp, body), await add(tpp, pem(tpp.applicant)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await chainsOf(tpp)).toBe(2);
  });

  it('belongs to this client alone: another client of the same certificate does not have it', async () => {
    const tpp = await suite.registerTpp();
    const clientId = String((await register(suite.a.origin, tpp.applicant)).body.clientId);
    const next = await renewed(tpp);
    await add(tpp, pem(next));
    const token = await suite.peers.token({ clientId, thumbprint: next.thumbprint, scope: 'PSP_AI' });
    const headers = { ...edgeHeaders(next.qwac.chain), authorization: `Bearer ${token}` };
    expect((await ask('GET', `${suite.a.origin}/tpp/${clientId}`, { headers })).status).toBe(401);
  });
});

describe('an incomplete PEM chain is 400, and nothing is stored (§7)', () => {
  const block = (text: string, from: number, to?: number): string =>
    text
      .split(/(?<=-----END CERTIFICATE-----\n)/)
      .slice(from, to)
      .join('');

  it.each<[string, (chain: string) => unknown, RegExp]>([
    ['no certificate field', () => ({}), /certificate/],
    ['a certificate that is no string', () => ({ certificate: 1 }), /certificate/],
    ['an unknown field', (certificate) => ({ certificate, name: 'x' }), /name/],
    [
      'updateDisplayName that is no boolean',
      (certificate) => ({ certificate, updateDisplayName: 'true' }),
      /./,
    ],
    ['an empty text', () => ({ certificate: '' }), /not a chain of PEM certificates/],
    ['text without PEM', () => ({ certificate: 'MIIB' }), /not a chain of PEM certificates/],
    [
      'lost line breaks',
      (chain) => ({ certificate: chain.replaceAll('\n', ' ') }),
      /not a chain of PEM certificates/,
    ],
    ['the leaf alone', (chain) => ({ certificate: block(chain, 0, 1) }), /not a trust anchor/],
    [
      'no root',
      (chain) => ({ certificate: block(chain, 0, 2) }),
      /not a trust anchor: append the certificate of its issuer, /,
    ],
    [
      'no issuing CA',
      (chain) => ({ certificate: block(chain, 0, 1) + block(chain, 2) }),
      /Certificate 2 is not/,
    ],
    [
      'the root first',
      (chain) => ({ certificate: block(chain, 2) + block(chain, 0, 2) }),
      /Certificate 2 is not/,
    ],
    [
      'eleven certificates',
      (chain) => ({ certificate: block(chain, 0, 1).repeat(11) }),
      /more than 10 certificates/,
    ],
    ['40,001 characters', (chain) => ({ certificate: chain.padEnd(40_001) }), /40000 characters/],
    [
      'a certificate request',
      () => ({
        certificate: '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n',
      }),
      /certificate request/,
    ],
  ])('%s', async (_what, bodyOf, message) => {
    const tpp = await suite.registerTpp();
    const answer = await add(tpp, bodyOf(pem(await renewed(tpp)).certificate));
    expect(answer).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', message: expect.stringMatching(message) },
    });
    expect(await chainsOf(tpp)).toBe(1);
  });

  it('accepts a chain of 40,000 characters', async () => {
    const tpp = await suite.registerTpp();
    const certificate = pem(await renewed(tpp)).certificate.padEnd(40_000);
    expect((await add(tpp, { certificate })).status).toBe(201);
  });

  it('refuses a chain to an untrusted root', async () => {
    const tpp = await suite.registerTpp();
    const root = await testCa({ name: 'Test Root' });
    const issuing = await testCa({ name: 'Test Issuing CA', issuer: root });
    const foreign = await newApplicant(
      { ...suite.peers, issuing },
      { organizationIdentifier: tpp.applicant.organizationIdentifier },
    );
    expect(await add(tpp, pem(foreign))).toMatchObject({ status: 400, body: { errorCode: 'FORMAT_ERROR' } });
  });
});

describe('a certificate that does not fit the client is 403, and nothing is stored (§7)', () => {
  const refusal = async (options: Parameters<typeof newApplicant>[1]): Promise<Answer> => {
    const tpp = await suite.registerTpp();
    const answer = await add(tpp, pem(await renewed(tpp, options)));
    if (answer.status !== 201) expect(await chainsOf(tpp)).toBe(1);
    return answer;
  };

  it('of another organization: no TPP can add the public certificate of another', async () => {
    const tpp = await suite.registerTpp();
    const victim = await suite.registerTpp();
    expect(await add(tpp, pem(victim.applicant))).toMatchObject({
      status: 403,
      body: { errorCode: 'CERTIFICATE_INVALID', message: expect.stringContaining('organizationIdentifier') },
    });
    expect(await chainsOf(tpp)).toBe(1);
    expect((await ask('GET', `${suite.a.origin}/tpp/${victim.clientId}`, victim)).status).toBe(200);
  });

  it('expired', async () => {
    const [notBefore, notAfter] = [new Date(Date.now() - 9 * DAY_MS), new Date(Date.now() - DAY_MS)];
    expect(await refusal({ notBefore, notAfter })).toMatchObject({
      status: 403,
      body: { errorCode: 'CERTIFICATE_EXPIRED' },
    });
  });

  it('not valid yet, with 60 s of tolerance for clocks', async () => {
    const validIn = (seconds: number) => refusal({ notBefore: new Date(Date.now() + seconds * 1_000) });
    expect(await validIn(90)).toMatchObject({
      status: 403,
      body: { errorCode: 'CERTIFICATE_INVALID', message: expect.stringContaining('not valid before') },
    });
    expect((await validIn(45)).status).toBe(201);
  });

  it('with a role that the client is not registered for, which is named; PSP_AS and PSP_IC do not count', async () => {
    const applicant = await newApplicant(suite.peers);
    const { body } = await register(suite.a.origin, applicant, {
      body: { ...REGISTRATION, roles: ['PSP_AI'] },
    });
    const clientId = String(body.clientId);
    const token = await suite.peers.token({ clientId, thumbprint: applicant.thumbprint, scope: 'PSP_AI' });
    const headers = { ...edgeHeaders(applicant.qwac.chain), authorization: `Bearer ${token}` };
    const tpp: RegisteredTpp = { applicant, clientId, clientSecret: '', headers };
    expect(await add(tpp, pem(await renewed(tpp)))).toMatchObject({
      status: 403,
      body: {
        errorCode: 'ROLE_INVALID',
        message: 'The client is not registered for the role PSP_PI of this certificate.',
      },
    });
    const roles = ['PSP_AI', 'PSP_AS', 'PSP_IC'] as const;
    expect((await add(tpp, pem(await renewed(tpp, { roles })))).status).toBe(201);
  });

  it('accepts fewer roles than the client has', async () => {
    expect((await refusal({ roles: ['PSP_PI'] })).status).toBe(201);
  });
});

describe('at most 20 live chains (§4.2)', () => {
  it('accepts the twentieth and refuses the next one with 409, also concurrently', async () => {
    const tpp = await suite.registerTpp();
    const more = await Promise.all(Array.from({ length: 22 }, () => renewed(tpp)));
    for (const applicant of more.slice(0, 18)) expect((await add(tpp, pem(applicant))).status).toBe(201);
    const answers = await Promise.all(
      more.slice(18).map((applicant, i) => add(tpp, pem(applicant), [suite.a, suite.b][i % 2]!.origin)),
    );
    expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      errorCode: 'STATUS_INVALID',
      message: 'A client has at most 20 certificates that have not expired.',
    });
    expect(await chainsOf(tpp)).toBe(20);
    expect((await add(tpp, pem(more[0]!))).status).toBe(201);
  });

  it('removes an expired one to make room', async () => {
    const tpp = await suite.registerTpp();
    const short = await renewed(tpp);
    await add(tpp, pem(short));
    await suite.sql.query(
      `UPDATE certificate_chain SET not_after = now() - interval '61 s' WHERE client_id = $1 AND thumbprint = $2`,
      [tpp.clientId, short.thumbprint],
    );
    await add(tpp, pem(await renewed(tpp)));
    expect(await chainsOf(tpp)).toBe(2);
    await until(async () => (await readOver(tpp, short)).status === 401, { what: 'it opens nothing' });
  });
});

describe('updateDisplayName (§4.2)', () => {
  const nameOf = async (tpp: RegisteredTpp): Promise<unknown> =>
    (await ask('GET', `${suite.a.origin}/tpp/${tpp.clientId}/display-name`, tpp)).body.displayName;

  it('changes to the name of the added chain only on request, also for a certificate that exists', async () => {
    const tpp = await suite.registerTpp();
    const chain = pem(await renewed(tpp, { organizationName: 'Fjord A/S' }));
    await add(tpp, chain);
    expect(await nameOf(tpp)).toBe('Fjord Budget ApS');
    await add(tpp, { ...chain, updateDisplayName: false });
    expect(await nameOf(tpp)).toBe('Fjord Budget ApS');
    expect((await add(tpp, { ...chain, updateDisplayName: true })).status).toBe(201);
    expect(await nameOf(tpp)).toBe('Fjord A/S');
    expect(await chainsOf(tpp)).toBe(2);
  });

  it('replaces a name whose last chain has expired by the added one’s', async () => {
    const tpp = await suite.registerTpp();
    await suite.sql.query(
      `UPDATE certificate_chain SET not_after = now() - interval '61 s' WHERE client_id = $1`,
      [tpp.clientId],
    );
    await add(tpp, pem(await renewed(tpp, { organizationName: 'Fjord A/S' })));
    const { rows } = await suite.sql.query('SELECT display_name FROM client WHERE id = $1', [tpp.clientId]);
    expect(rows).toEqual([{ display_name: 'Fjord A/S' }]);
  });
});
