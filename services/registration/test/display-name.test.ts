import { randomUUID } from 'node:crypto';
import { openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { type Answer, ask } from '@kontoport/testing/answer';
import { newApplicant, type RegisteredTpp } from './running.ts';
import { useRegistrations } from './suite.ts';

const suite = useRegistrations();

function call(tpp: RegisteredTpp, method: string, body?: unknown, clientId = tpp.clientId): Promise<Answer> {
  return ask(method, `${suite.a.origin}/tpp/${clientId}/display-name`, {
    headers: { ...tpp.headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
}

/** A client with a second chain with the name "Fjord A/S". */
async function twoNames(): Promise<RegisteredTpp> {
  const tpp = await suite.registerTpp();
  const { organizationIdentifier } = tpp.applicant;
  const { qwac } = await newApplicant(suite.peers, { organizationIdentifier, organizationName: 'Fjord A/S' });
  await ask('POST', `${suite.a.origin}/tpp/${tpp.clientId}/certificates`, {
    headers: { ...tpp.headers, 'content-type': 'application/json' },
    body: { certificate: qwac.fullChainPem },
  });
  return tpp;
}

/** Sets the end of a name's chains to `seconds` ago. */
const end = (tpp: RegisteredTpp, name: string, seconds: number) =>
  suite.sql.query(
    `WITH ended AS (
       UPDATE certificate_chain SET not_after = now() - $3 * interval '1 s'
       WHERE client_id = $1 AND display_name = $2 RETURNING not_after)
     UPDATE client SET named_until = ended.not_after FROM ended WHERE id = $1 AND display_name = $2`,
    [tpp.clientId, name, seconds],
  );

/** Starts a second replica. Its start runs every periodic loop. */
const anotherReplica = () => suite.start();

describe('GET /tpp/{clientId}/display-name and PUT /tpp/{clientId}/display-name (§2.1, §4.2)', () => {
  it('is the name of the registering certificate at first, the only available one', async () => {
    const tpp = await suite.registerTpp();
    expect(await call(tpp, 'GET')).toMatchObject({ status: 200 });
    expect((await call(tpp, 'GET')).body).toEqual({
      displayName: 'Fjord Budget ApS',
      availableDisplayNames: ['Fjord Budget ApS'],
    });
  });

  it('changes to a name in another chain of the client, and back', async () => {
    const tpp = await twoNames();
    for (const displayName of ['Fjord A/S', 'Fjord A/S', 'Fjord Budget ApS']) {
      const answer = await call(tpp, 'PUT', { displayName });
      expect([answer.status, answer.body]).toEqual([200, { displayName }]);
      expect((await call(tpp, 'GET')).body).toEqual({
        displayName,
        availableDisplayNames: ['Fjord Budget ApS', 'Fjord A/S'],
      });
    }
  });

  it.each<[string, unknown, string]>([
    ['a name that no chain backs', { displayName: 'Your bank' }, 'displayName'],
    ['another spelling', { displayName: 'fjord budget aps' }, 'displayName'],
    ['an empty name', { displayName: '' }, 'displayName'],
    ['the name of the registration', { displayName: 'Fjord Budget' }, 'displayName'],
    ['no name', {}, 'displayName'],
    ['a name that is no string', { displayName: 7 }, 'displayName'],
    ['an unknown field', { displayName: 'Fjord Budget ApS', name: 'x' }, 'name'],
  ])('refuses %s with 400, and the name stays', async (_what, body, path) => {
    const tpp = await suite.registerTpp();
    expect(await call(tpp, 'PUT', body)).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', details: [{ path }] },
    });
    expect((await call(tpp, 'GET')).body.displayName).toBe('Fjord Budget ApS');
  });

  it('does not offer the name of an expired chain, with 60 s of tolerance for clocks', async () => {
    const tpp = await twoNames();
    await end(tpp, 'Fjord A/S', 55);
    expect((await call(tpp, 'GET')).body.availableDisplayNames).toHaveLength(2);
    await end(tpp, 'Fjord A/S', 61);
    expect((await call(tpp, 'GET')).body.availableDisplayNames).toEqual(['Fjord Budget ApS']);
    expect((await call(tpp, 'PUT', { displayName: 'Fjord A/S' })).status).toBe(400);
  });

  it('does not accept the name of another client', async () => {
    await twoNames();
    const tpp = await suite.registerTpp();
    expect((await call(tpp, 'PUT', { displayName: 'Fjord A/S' })).status).toBe(400);
  });

  it('is 404 for another client, also with an invalid body', async () => {
    const tpp = await suite.registerTpp();
    const other = await suite.registerTpp();
    for (const clientId of [other.clientId, randomUUID()])
      for (const [method, body] of [['GET'], ['PUT', {}]] as const)
        expect(await call(tpp, method, body, clientId)).toMatchObject({
          status: 404,
          body: { errorCode: 'CLIENT_UNKNOWN' },
        });
  });
});

describe('a name whose last chain has expired is replaced automatically (§2.1)', () => {
  const nameOf = async (tpp: RegisteredTpp): Promise<unknown> => (await call(tpp, 'GET')).body.displayName;
  const namedUntil = async (tpp: RegisteredTpp): Promise<Date | null> =>
    (
      await suite.sql.query<{ named_until: Date | null }>('SELECT named_until FROM client WHERE id = $1', [
        tpp.clientId,
      ])
    ).rows[0]!.named_until;

  it('by that of the oldest valid chain, in every service, and for no other client', async () => {
    const [tpp, tolerated, unbacked, other] = [
      await twoNames(),
      await twoNames(),
      await suite.registerTpp(),
      await twoNames(),
    ];
    const directory = openClientDirectory({
      address: `127.0.0.1:${suite.a.grpcPort}`,
      service: 'test',
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    await until(() => directory.readiness() === undefined, { what: 'the directory is ready' });
    const before = directory.find(other.clientId)!.revision;
    await end(tpp, 'Fjord Budget ApS', 61);
    await end(tolerated, 'Fjord Budget ApS', 40);
    await end(unbacked, 'Fjord Budget ApS', 61);
    const replica = await anotherReplica();
    await until(() => directory.find(tpp.clientId)?.displayName === 'Fjord A/S', { what: 'the new name' });
    await until(async () => (await namedUntil(unbacked)) === null, { what: 'the nameless one is left' });
    expect(await nameOf(tpp)).toBe('Fjord A/S');
    expect(await nameOf(tolerated)).toBe('Fjord Budget ApS');
    expect(directory.find(unbacked.clientId)?.displayName).toBe('Fjord Budget ApS');
    expect(directory.find(other.clientId)?.revision).toBe(before);
    // The end of the new name is stored, so the next check happens at that time.
    expect(Number(await namedUntil(tpp))).toBeGreaterThan(Date.now());
    await replica.close();
    await directory.close();
  });

  it('but a chosen name stays until its own chains expire', async () => {
    const tpp = await twoNames();
    await call(tpp, 'PUT', { displayName: 'Fjord A/S' });
    await end(tpp, 'Fjord A/S', 61);
    const replica = await anotherReplica();
    await until(async () => (await nameOf(tpp)) === 'Fjord Budget ApS', { what: 'the other name again' });
    expect((await call(tpp, 'GET')).body.availableDisplayNames).toEqual(['Fjord Budget ApS']);
    await replica.close();
  });
});
