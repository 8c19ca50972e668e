import { randomUUID } from 'node:crypto';
import { type ClientDirectory, openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import { ClientCredentialsServiceClient, type RevokeTokenRequest } from '@kontoport/proto/registration/v1';
import { ask } from '@kontoport/testing/answer';
import { openTcpProxy, type TcpProxy } from '@kontoport/testing/tcp-proxy';
import type { RegisteredTpp } from './running.ts';
import { useRegistrations } from './suite.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const suite = useRegistrations({ replicas: 2, env: { REVOKED_TOKENS_PER_CLIENT: '3' } });

let stub: ClientCredentialsServiceClient;
let wire: TcpProxy;
/** Three replicas of a service: one watches each registration, and a third watches the second over a breakable connection. */
let replicas: ClientDirectory[];
let tpp: RegisteredTpp;

beforeAll(async () => {
  stub = createClient(ClientCredentialsServiceClient, `127.0.0.1:${suite.a.grpcPort}`);
});

beforeEach(async () => {
  wire = await openTcpProxy({ port: suite.b.grpcPort });
  replicas = [suite.a.grpcPort, suite.b.grpcPort, wire.port].map(watch);
  await Promise.all(replicas.map(ready));
  tpp = await suite.registerTpp();
});

afterEach(async () => {
  for (const replica of replicas) await replica.close();
  await wire.close();
});

afterAll(async () => {
  stub.close();
});

function watch(port: number): ClientDirectory {
  return openClientDirectory({ address: `127.0.0.1:${port}`, service: 'test', logger });
}

const ready = (replica: ClientDirectory): Promise<unknown> =>
  until(() => replica.readiness() === undefined, { what: 'the directory is ready' });

const inAnHour = (): bigint => BigInt(Math.floor(Date.now() / 1_000) + 3_600);

function revoke(tokenId: string, change: Partial<RevokeTokenRequest> = {}) {
  const request = { clientId: tpp.clientId, tokenId, expiresAt: inAnHour(), ...change };
  return call(stub, stub.revokeToken, request, { deadlineMs: 8_000 });
}

/** Returns the ids of the revoked tokens in a replica's copy; undefined when its directory is UNAVAILABLE. */
function revokedAt(replica: ClientDirectory): string[] | undefined {
  try {
    return replica.find(tpp.clientId)!.revokedTokens.map(({ id }) => id);
  } catch {
    return undefined;
  }
}

describe('when RevokeToken answers, no replica of any service accepts the token (§4.1)', () => {
  it('each replica knows it, at either registration, and the other tokens of the client stay valid', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    await revoke(one);
    expect(replicas.map(revokedAt)).toEqual([[one], [one], [one]]);
    await revoke(other);
    expect(replicas.map(revokedAt)).toEqual([0, 1, 2].map(() => [one, other]));
    expect(replicas[0]!.find(tpp.clientId)).toMatchObject({
      deleted: false,
      displayName: 'Fjord Budget ApS',
    });
  });

  it('a disconnected replica refuses everything, and knows the token when it reconnects', async () => {
    const token = randomUUID();
    wire.stall();
    const started = performance.now();
    await revoke(token);
    expect(performance.now() - started).toBeLessThan(7_000);
    expect(replicas.map(revokedAt)).toEqual([[token], [token], undefined]);
    wire.resume();
    await ready(replicas[2]!);
    expect(revokedAt(replicas[2]!)).toEqual([token]);
  });

  it('a replica that starts later knows it before it decides, also from a registration that started later', async () => {
    const token = randomUUID();
    await revoke(token);
    const { grpcPort } = suite.b;
    await suite.b.close();
    suite.b = await suite.start({ grpcPort });
    const late = watch(grpcPort);
    replicas.push(late);
    await ready(late);
    expect(revokedAt(late)).toEqual([token]);
  });

  it('changes nothing for a revoked token', async () => {
    const token = randomUUID();
    await Promise.all([revoke(token), revoke(token), revoke(token)]);
    const { revision } = replicas[0]!.find(tpp.clientId)!;
    await revoke(token);
    expect(replicas[0]!.find(tpp.clientId)).toMatchObject({ revision, revokedTokens: [{ id: token }] });
  });

  it('a deleted client keeps its revoked tokens: over one of them its deletion cannot be repeated', async () => {
    const token = randomUUID();
    await revoke(token);
    expect((await ask('DELETE', `${suite.a.origin}/tpp/${tpp.clientId}`, tpp)).status).toBe(204);
    expect(replicas.map(revokedAt)).toEqual([[token], [token], [token]]);
    await revoke(randomUUID());
    expect(replicas.map(revokedAt)).toEqual([[token], [token], [token]]);
  });

  it('does nothing for an unknown client', async () => {
    await revoke(randomUUID(), { clientId: randomUUID() });
    expect(replicas.map(revokedAt)).toEqual([[], [], []]);
  });
});

describe('the revoked tokens of a client (§4.1)', () => {
  it('are limited as configured, and expired ones make room', async () => {
    const soon = BigInt(Math.floor(Date.now() / 1_000) - 50);
    await revoke('ends-soon', { expiresAt: soon });
    await revoke('ended', { expiresAt: soon - 60n });
    await revoke('two');
    await revoke('three');
    await expect(revoke('four')).rejects.toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    const neighbour = await suite.registerTpp();
    await revoke('four', { clientId: neighbour.clientId });
    expect(replicas.map(revokedAt)).toEqual([0, 1, 2].map(() => ['ends-soon', 'two', 'three']));
  });

  it.each<[string, Partial<RevokeTokenRequest>]>([
    ['a client id that is none', { clientId: "' OR true --" }],
    ['an empty id', { tokenId: '' }],
    ['an id of two words', { tokenId: 'a b' }],
    ['an id with its end in it', { tokenId: 'a:1' }],
    ['an id of 65 characters', { tokenId: 'x'.repeat(65) }],
    ['no end', { expiresAt: 0n }],
  ])('have no %s among them', async (_what, change) => {
    await expect(revoke('id', change)).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
  });

  it('are deleted a minute after the last has expired, and not before', async () => {
    const other = await suite.registerTpp();
    for (const { clientId } of [tpp, other]) await revoke('id', { clientId });
    await suite.sql.query("UPDATE client SET revoked_until = now() - interval '1 s' WHERE id = $1", [
      tpp.clientId,
    ]);
    const replica = await suite.start();
    const stored = async (): Promise<(string | null)[]> => {
      const { rows } = await suite.sql.query<{ words: string | null }>(
        'SELECT revoked_tokens AS words FROM client WHERE id = ANY ($1) ORDER BY created_at',
        [[tpp.clientId, other.clientId]],
      );
      return rows.map(({ words }) => words);
    };
    await until(async () => (await stored())[0] === null, { what: 'they are forgotten' });
    expect((await stored())[1]).toMatch(/^id:\d+$/);
    await replica.close();
  });
});
