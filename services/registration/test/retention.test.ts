import { openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import { ask } from '@kontoport/testing/answer';
import { insertClients } from '@kontoport/testing/registered-clients';
import { type RegisteredTpp, type RunningRegistration } from './running.ts';
import { useRegistrations } from './suite.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const suite = useRegistrations();

/** Starts a second replica now, which runs every periodic loop. The first one continues. */
async function anotherReplica(): Promise<RunningRegistration> {
  return suite.start();
}

const verify = async ({ clientId, clientSecret, applicant }: RegisteredTpp): Promise<boolean> => {
  const stub = createClient(ClientCredentialsServiceClient, `127.0.0.1:${suite.a.grpcPort}`);
  const { client } = await call(stub, stub.verify, {
    clientId,
    clientSecret,
    certificateThumbprint: applicant.thumbprint,
  });
  stub.close();
  return client !== undefined;
};

const ageClient = (tpp: RegisteredTpp, column: 'created_at' | 'deleted_at', age: string) =>
  suite.sql.query(`UPDATE client SET ${column} = now() - $2::interval WHERE id = $1`, [tpp.clientId, age]);

const stateOf = async ({ clientId }: RegisteredTpp): Promise<'live' | 'deleted' | 'gone'> => {
  const { rows } = await suite.sql.query<{ deleted: boolean }>(
    'SELECT deleted_at IS NOT NULL AS deleted FROM client WHERE id = $1',
    [clientId],
  );
  return rows[0] === undefined ? 'gone' : rows[0].deleted ? 'deleted' : 'live';
};

const count = async (query: string): Promise<number> =>
  (await suite.sql.query<{ count: number }>(`SELECT count(*)::int FROM ${query}`)).rows[0]!.count;

describe('an unused client is deleted after 30 days (§4.2)', () => {
  it('as by DELETE; a used one and a younger one stay', async () => {
    const directory = openClientDirectory({
      address: `127.0.0.1:${suite.a.grpcPort}`,
      service: 'test',
      logger,
    });
    const [unused, used, young] = [
      await suite.registerTpp(),
      await suite.registerTpp(),
      await suite.registerTpp(),
    ];
    expect(await verify(used)).toBe(true);
    await ageClient(unused, 'created_at', '30 days 1 minute');
    await ageClient(used, 'created_at', '60 days');
    await ageClient(young, 'created_at', '29 days 23 hours');
    await until(() => directory.readiness() === undefined, { what: 'the directory is ready' });
    const gone: string[] = [];
    directory.onDeleted((clientId) => gone.push(clientId));

    const replica = await anotherReplica();
    await until(() => gone.includes(unused.clientId), { what: 'every service knows' });
    expect([await stateOf(unused), await stateOf(used), await stateOf(young)]).toEqual([
      'deleted',
      'live',
      'live',
    ]);
    expect(directory.find(unused.clientId)?.deleted).toBe(true);
    expect(await verify(unused)).toBe(false);
    expect(
      await count(
        `certificate JOIN certificate_chain AS chain ON chain_id = chain.id WHERE client_id = '${unused.clientId}'`,
      ),
    ).toBe(0);
    await replica.close();
    await directory.close();
  });

  it('a wrong secret does not count as use', async () => {
    const tpp = await suite.registerTpp();
    await verify({ ...tpp, clientSecret: 'A'.repeat(43) });
    expect(await count(`client WHERE id = '${tpp.clientId}' AND used_at IS NULL`)).toBe(1);
    await verify(tpp);
    expect(await count(`client WHERE id = '${tpp.clientId}' AND used_at IS NULL`)).toBe(0);
  });

  it('deletes many in batches, each once, with several replicas', async () => {
    await insertClients(suite.sql, { count: 350, createdAt: "now() - interval '31 days'" });
    const before = BigInt(
      (await suite.sql.query<{ revision: string }>('SELECT revision FROM client_revision')).rows[0]!.revision,
    );
    const replicas = await Promise.all([anotherReplica(), anotherReplica()]);
    await until(
      async () =>
        (await count(
          "client WHERE deleted_at IS NULL AND created_at < now() - interval '30 days' AND used_at IS NULL",
        )) === 0,
      { what: 'all are deleted' },
    );
    const { rows } = await suite.sql.query<{ revision: string; distinct: number }>(
      `SELECT (SELECT revision FROM client_revision), count(DISTINCT revision)::int AS distinct
       FROM client WHERE revision > $1`,
      [before],
    );
    expect(BigInt(rows[0]!.revision) - before).toBe(350n);
    expect(rows[0]!.distinct).toBe(350);
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});

describe('the tombstone of a client is purged after 30 days (§4.2)', () => {
  it('with all its rows and in the directory of every service; a younger one stays', async () => {
    const directory = openClientDirectory({
      address: `127.0.0.1:${suite.a.grpcPort}`,
      service: 'test',
      logger,
    });
    const [old, young] = [await suite.registerTpp(), await suite.registerTpp()];
    for (const tpp of [old, young]) await ask('DELETE', `${suite.a.origin}/tpp/${tpp.clientId}`, tpp);
    await until(() => directory.readiness() === undefined, { what: 'the directory is ready' });
    expect(directory.find(old.clientId)?.deleted).toBe(true);
    await ageClient(old, 'deleted_at', '30 days 1 minute');
    await ageClient(young, 'deleted_at', '29 days 23 hours');

    const replica = await anotherReplica();
    await until(async () => (await stateOf(old)) === 'gone', { what: 'it is gone' });
    expect(await stateOf(young)).toBe('deleted');
    expect(await count(`certificate_chain WHERE client_id = '${old.clientId}'`)).toBe(0);
    await until(() => directory.find(old.clientId) === undefined, { what: 'it is forgotten' });
    expect(directory.find(young.clientId)?.deleted).toBe(true);
    await replica.close();
    await directory.close();
  });

  const started = (name: string, value: string): Promise<RunningRegistration> =>
    suite.start({ env: { [name]: value } });

  it.each([
    ['TOMBSTONE_RETENTION', '60min'],
    ['UNUSED_CLIENT_RETENTION', '59min'],
  ])('%s=%s is too short: a token may live longer', async (name, value) => {
    await expect(started(name, value)).rejects.toThrow(`${name}: `);
  });
});

describe('rows of registrations are deleted (§4.2)', () => {
  it('request ids after 30 days; their client stays', async () => {
    const tpp = await suite.registerTpp();
    const remember = (requestId: string, age: string) =>
      suite.sql.query(
        `INSERT INTO registration_request (organization_identifier, request_id, body_hash, client_id, created_at)
         SELECT organization_identifier, $2, sha256('body'::bytea), id, now() - $3::interval FROM client WHERE id = $1`,
        [tpp.clientId, requestId, age],
      );
    await remember('old', '30 days 1 minute');
    await remember('young', '29 days 23 hours');
    const replica = await anotherReplica();
    await until(async () => (await count("registration_request WHERE request_id = 'old'")) === 0, {
      what: 'the old one is forgotten',
    });
    expect(await count("registration_request WHERE request_id = 'young'")).toBe(1);
    expect(await stateOf(tpp)).toBe('live');
    await replica.close();
  });

  it('the rate of an organization once its allowance is full again, and no sooner', async () => {
    await suite.sql.query(
      "INSERT INTO registration_rate VALUES ('PSDDK-DFSA-WHOLE', now() - interval '1 second'), ('PSDDK-DFSA-OWING', now() + interval '1 hour')",
    );
    const replica = await anotherReplica();
    await until(
      async () => (await count("registration_rate WHERE organization_identifier = 'PSDDK-DFSA-WHOLE'")) === 0,
      { what: 'the whole one is forgotten' },
    );
    expect(await count("registration_rate WHERE organization_identifier = 'PSDDK-DFSA-OWING'")).toBe(1);
    await replica.close();
  });
});
