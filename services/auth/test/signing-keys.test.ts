import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { openDb, unseal } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { createAccessTokenVerifier } from '@kontoport/gate';
import { runSql, type TestDatabase, testDatabase } from '@kontoport/testing/postgres';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { findRootKey } from '../src/signing-keys/root-key.ts';
import { rotateKeys } from '../src/signing-keys/rotate-keys.ts';
import { requestToken, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

let around: Surroundings;

beforeAll(async () => {
  around = await surroundAuth();
});
afterAll(() => around.close());

async function jwks(origin: string): Promise<{ headers: Headers; keys: JWK[] }> {
  const response = await fetch(`${origin}/.well-known/jwks.json`);
  expect(response.status).toBe(200);
  const { keys } = (await response.json()) as { keys: JWK[] };
  return { headers: response.headers, keys };
}

describe('GET /.well-known/jwks.json (RFC 7517, RFC 7638)', () => {
  it('shows two public keys under their thumbprints, and no private member', async () => {
    const { origin, close } = await around.start();
    const { headers, keys } = await jwks(origin);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
      expect(key.kid).toBe(await calculateJwkThumbprint(key));
    }
    await close();
  });

  it('is the same for replicas that start at once, and after a restart', async () => {
    await runSql(around.database.url, 'DELETE FROM signing_key');
    const replicas = await Promise.all([around.start(), around.start(), around.start()]);
    const shown = await Promise.all(replicas.map(async ({ origin }) => (await jwks(origin)).keys));
    expect(shown[0]).toHaveLength(2);
    expect(shown[1]).toEqual(shown[0]);
    expect(shown[2]).toEqual(shown[0]);
    await Promise.all(replicas.map(({ close }) => close()));
    const restarted = await around.start();
    expect((await jwks(restarted.origin)).keys).toEqual(shown[0]);
    await restarted.close();
  });

  it('verifies the tokens of every replica', async () => {
    const [one, other] = [await around.start(), await around.start()];
    const tpp = await around.peers.addTpp();
    const { body } = await requestToken(one.origin, tokenHeaders(tpp));
    const verify = createAccessTokenVerifier({
      keys: `${other.origin}/.well-known/jwks.json`,
      issuer: around.env.TOKEN_ISSUER!,
    });
    const token = await verify(`Bearer ${String(body.access_token)}`, new Date());
    expect(token.clientId).toBe(tpp.clientId);
    await Promise.all([one.close(), other.close()]);
  });
});

/** A proxy in front of the database that the tests stop and restart. */
async function relayTo(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const open = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    near.pipe(far).pipe(near);
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${await freePort()}`;
  return {
    url: url.href,
    async lay() {
      relay.listen(Number(url.port), '127.0.0.1');
      await once(relay, 'listening');
    },
    async cut() {
      relay.close();
      for (const socket of open) socket.destroy();
      await once(relay, 'close');
    },
  };
}

describe('auth without its database', () => {
  it('starts, answers 503, and recovers without a restart', async () => {
    const relay = await relayTo(around.database.url);
    const { origin, ops, close } = await around.start({ DATABASE_URL: relay.url });
    const tpp = await around.peers.addTpp();
    const refused = await requestToken(origin, tokenHeaders(tpp));
    expect([refused.status, refused.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(`${origin}/.well-known/jwks.json`)).status).toBe(503);
    expect((await fetch(`${ops}/readyz`)).status).toBe(503);
    await relay.lay();
    await until(async () => (await fetch(`${ops}/readyz`)).status === 200, { what: 'auth to be ready' });
    expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(200);
    await relay.cut();
    // The keys in memory include the schedule of the next hours.
    expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(200);
    await close();
  });
});

describe('the table of signing keys', () => {
  const rotationMs = 24 * 3_600_000;
  const secretsKey = randomBytes(32);
  let database: TestDatabase;
  let db: Db;

  beforeAll(async () => {
    database = await testDatabase('auth');
    db = openDb({
      url: database.url,
      applicationName: 'test',
      prisma: createPrisma,
    });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  it('rotates by the clock: the successor takes over, a new one is published, the old one goes', async () => {
    const start = new Date();
    const at = (hours: number): Date => new Date(start.getTime() + hours * 3_600_000);
    const kidsAt = async (hours: number): Promise<string[]> =>
      (await rotateKeys(db, { now: at(hours), rotationMs, secretsKeys: [secretsKey] })).map(({ kid }) => kid);

    const [first, second] = (await kidsAt(0)) as [string, string];
    expect(await kidsAt(23.9)).toEqual([first, second]);
    const rotated = await Promise.all([kidsAt(24), kidsAt(24), kidsAt(24)]);
    const third = rotated[0][2]!;
    expect(new Set(rotated.map((kids) => kids.join()))).toEqual(new Set([[first, second, third].join()]));
    expect(await kidsAt(25)).toEqual([first, second, third]);
    expect(await kidsAt(25.2)).toEqual([second, third]);
  });

  it('gets no key from a replica with another SECRETS_KEY', async () => {
    const kids = async () => (await db.query('SELECT kid FROM signing_key ORDER BY active_from')).rows;
    const before = await kids();
    const now = new Date(Date.now() + 100 * 24 * 3_600_000);
    await expect(rotateKeys(db, { now, rotationMs, secretsKeys: [randomBytes(32)] })).rejects.toThrow(
      'SECRETS_KEY: does not open',
    );
    expect(await kids()).toEqual(before);
  });

  it('holds private keys sealed only, each for its own row', async () => {
    const { rows } = await db.query<{ kid: string; sealed: Buffer; everything: string }>(
      `SELECT kid, sealed_private_jwk AS sealed, signing_key::text AS everything FROM signing_key`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { kid, sealed, everything } of rows) {
      const jwk = JSON.parse(unseal(secretsKey, sealed, `signing-key/${kid}`).toString()) as JWK;
      expect(jwk.d).toHaveLength(43);
      expect(everything).not.toContain(jwk.d);
      expect(() => unseal(secretsKey, sealed, 'signing-key/other')).toThrow('does not open');
    }
  });

  describe('and the root of authorizations', () => {
    const roots = (...secretsKeys: Buffer[]) =>
      findRootKey(db, secretsKeys).then((root) => Buffer.from(root));
    const forget = () => db.query('DELETE FROM root_key');

    it('is created once, at random, and sealed', async () => {
      const keys = (await db.query('DELETE FROM signing_key RETURNING kid')).rowCount;
      expect(keys).toBeGreaterThan(0);
      await forget();
      const found = await Promise.all([roots(secretsKey), roots(secretsKey), roots(secretsKey)]);
      expect(new Set(found.map((root) => root.toString('hex'))).size).toBe(1);
      expect(found[0]).toHaveLength(32);
      expect(found[0]).not.toEqual(secretsKey);
      const { rows } = await db.query<{ sealed: Buffer }>('SELECT sealed FROM root_key');
      expect(rows.map(({ sealed }) => unseal(secretsKey, sealed, 'root-key'))).toEqual([found[0]]);
      await forget();
      expect(await roots(secretsKey)).not.toEqual(found[0]);
    });

    it('is the SECRETS_KEY of older signing keys, so that its tokens stay valid', async () => {
      const [newer, other] = [randomBytes(32), randomBytes(32)];
      await rotateKeys(db, { now: new Date(), rotationMs, secretsKeys: [secretsKey] });
      await forget();
      await expect(roots(newer, other)).rejects.toThrow('SECRETS_KEY: does not open the signing keys');
      expect(await roots(newer, secretsKey)).toEqual(secretsKey);
      expect(await roots(newer)).toEqual(secretsKey);
      await expect(roots(secretsKey)).rejects.toThrow('SECRETS_KEY: does not open the root key');
    });
  });

  it('cannot hold a public key with a private member, nor two newest keys', async () => {
    await expect(db.query(`UPDATE signing_key SET public_jwk = public_jwk || '{"d": "x"}'`)).rejects.toThrow(
      'signing_key_public_jwk_is_public',
    );
    await expect(db.query('UPDATE signing_key SET retire_at = NULL')).rejects.toThrow(
      'signing_key_one_newest',
    );
  });
});
