import { randomUUID, X509Certificate } from 'node:crypto';
import { ask } from '@kontoport/testing/answer';
import { register, REGISTRATION } from './running.ts';
import { useRegistrations } from './suite.ts';

const suite = useRegistrations();

const withoutRequestId = ({ requestId: _requestId, ...body }: Record<string, unknown>) => body;

describe('GET /tpp/{clientId} (§2.1, §4.2)', () => {
  it('shows the client with its certificate chain, leaf to root, and never the secret', async () => {
    const { clientId, applicant, headers } = await suite.registerTpp();
    const { status, body } = await ask('GET', `${suite.a.origin}/tpp/${clientId}`, { headers });
    expect(status).toBe(200);
    const utc = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    const certificate = (subject: string, issuer: string) => ({
      subject: expect.stringContaining(subject),
      subjectKeyId: expect.stringMatching(/^[0-9A-F]{2}(:[0-9A-F]{2}){19}$/),
      issuer: expect.stringContaining(issuer),
      serialNumber: expect.any(String),
      notBefore: utc,
      notAfter: utc,
    });
    expect(body).toEqual({
      ...REGISTRATION,
      clientId,
      certificateChains: [
        {
          certificates: [
            certificate('Fjord Budget ApS', 'Test Issuing CA'),
            certificate('Test Issuing CA', 'Test Root'),
            certificate('Test Root', 'Test Root'),
          ],
        },
      ],
    });
    const leaf = new X509Certificate(applicant.qwac.chain[0]!);
    expect(body).toHaveProperty('certificateChains.0.certificates.0.serialNumber', leaf.serialNumber);
    expect(body).toHaveProperty(
      'certificateChains.0.certificates.0.notAfter',
      leaf.validToDate.toISOString(),
    );
  });

  it('answers 404 with the same body for an unknown client and for another client, also of the same certificate', async () => {
    const mine = await suite.registerTpp();
    const { body: sibling } = await register(suite.a.origin, mine.applicant);
    const other = await suite.registerTpp();
    const answers = [];
    for (const clientId of [randomUUID(), other.clientId, sibling.clientId, 'no-uuid'])
      for (const method of ['GET', 'DELETE'])
        answers.push(await ask(method, `${suite.a.origin}/tpp/${String(clientId)}`, mine));
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(withoutRequestId(body)).toEqual(withoutRequestId(answers[0]!.body));
      expect(body.errorCode).toBe('CLIENT_UNKNOWN');
    }
    expect((await ask('GET', `${suite.a.origin}/tpp/${other.clientId}`, other)).status).toBe(200);
  });
});

describe('DELETE /tpp/{clientId} (§4.2)', () => {
  it('answers 204, and the token is refused from then on', async () => {
    const { clientId, headers } = await suite.registerTpp();
    expect(await ask('DELETE', `${suite.a.origin}/tpp/${clientId}`, { headers })).toMatchObject({
      status: 204,
      body: {},
    });
    expect(await ask('GET', `${suite.a.origin}/tpp/${clientId}`, { headers })).toMatchObject({
      status: 401,
      body: { errorCode: 'TOKEN_INVALID' },
    });
  });

  it('is idempotent: 204 again with the token that every other route refuses', async () => {
    const { clientId, headers } = await suite.registerTpp();
    const answers = await Promise.all(
      [1, 2, 3].map(() => ask('DELETE', `${suite.a.origin}/tpp/${clientId}`, { headers })),
    );
    answers.push(await ask('DELETE', `${suite.a.origin}/tpp/${clientId}`, { headers }));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    const { rows } = await suite.sql.query('SELECT count(*)::int FROM client WHERE id = $1', [clientId]);
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('leaves a tombstone without name, secret, redirect URIs and certificates', async () => {
    const { clientId, headers, applicant } = await suite.registerTpp();
    await ask('DELETE', `${suite.a.origin}/tpp/${clientId}`, { headers });
    const { rows } = await suite.sql.query(
      `SELECT client.*, ARRAY(SELECT thumbprint FROM certificate_chain WHERE client_id = client.id) AS thumbprints,
              ARRAY(SELECT display_name FROM certificate_chain WHERE client_id = client.id) AS chain_names,
              (SELECT count(*)::int FROM certificate JOIN certificate_chain ON chain_id = certificate_chain.id
               WHERE client_id = client.id) AS stored_certificates
       FROM client WHERE id = $1`,
      [clientId],
    );
    expect(rows).toEqual([
      {
        id: clientId,
        name: null,
        display_name: null,
        roles: REGISTRATION.roles,
        named_until: null,
        redirect_digests: null,
        redirect_uri_digests: null,
        used_at: null,
        redirect_uris: [],
        organization_identifier: applicant.organizationIdentifier,
        secret_hash: null,
        secret_pepper_id: null,
        revision: expect.any(String),
        revoked_tokens: null,
        revoked_until: null,
        created_at: expect.any(Date),
        deleted_at: expect.any(Date),
        thumbprints: [applicant.thumbprint],
        chain_names: [null],
        stored_certificates: 0,
        certificates: expect.stringMatching(`^${applicant.thumbprint}:[0-9]+:PSP_PI,PSP_AI$`),
      },
    ]);
  });

  it('keeps the other clients of the certificate', async () => {
    const mine = await suite.registerTpp();
    const { body } = await register(suite.a.origin, mine.applicant);
    const clientId = String(body.clientId);
    const token = await suite.peers.token({
      clientId,
      thumbprint: mine.applicant.thumbprint,
      scope: 'PSP_AI',
    });
    await ask('DELETE', `${suite.a.origin}/tpp/${mine.clientId}`, mine);
    const headers = { ...mine.headers, authorization: `Bearer ${token}` };
    expect((await ask('GET', `${suite.a.origin}/tpp/${clientId}`, { headers })).status).toBe(200);
  });
});
