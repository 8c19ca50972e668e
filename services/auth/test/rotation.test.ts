import { jest } from '@jest/globals';
import { until } from '@kontoport/embedded/wait';
import { createAccessTokenVerifier, type VerifyAccessToken } from '@kontoport/gate';
import { type InProcess, startInProcess } from '@kontoport/service';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import type { Deps } from '../src/deps.ts';
import { auth } from '../src/service.ts';
import { requestToken, sql, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

const MINUTE_MS = 60_000;
/** What an HTTP cache keeps the keys, and then a verifier. */
const STALE_MINUTES = 10;
const MINUTES = 100;
const ROTATION_MINUTES = 15;
const AT_ONCE = 2;
/** How often a new verifier is shown all tokens that live. */
const ANEW_MINUTES = 5;

let around: Surroundings;
let replicas: InProcess<Deps>[];
let tpp: TestTpp;
let now: number;

beforeAll(async () => {
  around = await surroundAuth();
  tpp = await around.peers.addTpp();
  // Only the clock is ours: everything else takes the time that it takes.
  jest.useFakeTimers({
    now: Date.now(),
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
  now = Date.now();
  const env = { ...around.env, KEY_ROTATION: `${ROTATION_MINUTES}min` };
  replicas = [await startInProcess(auth, env), await startInProcess(auth, env)];
});
afterAll(async () => {
  for (const replica of replicas) await replica.close();
  jest.useRealTimers();
  await around.close();
});

const originOf = (replica: InProcess<Deps>): string => replica.addresses.auth_url!;

async function keysOf(replica: InProcess<Deps>): Promise<JSONWebKeySet> {
  return (await fetch(`${originOf(replica)}/.well-known/jwks.json`)).json() as Promise<JSONWebKeySet>;
}

const kidsOf = async (replica: InProcess<Deps>): Promise<string[]> =>
  (await keysOf(replica)).keys.map(({ kid }) => kid!);

/** A verifier that reads the keys of one replica as seldom as it may. */
function seldomReader(replica: InProcess<Deps>) {
  let keys: ReturnType<typeof createLocalJWKSet>;
  return {
    async read() {
      keys = createLocalJWKSet(await keysOf(replica));
    },
    verify: createAccessTokenVerifier({
      keys: (header, token) => keys(header, token),
      issuer: around.env.TOKEN_ISSUER!,
    }),
  };
}

/** A verifier as every service has it. */
const readerOf = (replica: InProcess<Deps>): VerifyAccessToken =>
  createAccessTokenVerifier({
    keys: `${originOf(replica)}/.well-known/jwks.json`,
    issuer: around.env.TOKEN_ISSUER!,
  });

async function issue(replica: InProcess<Deps>): Promise<string> {
  const { status, body } = await requestToken(originOf(replica), tokenHeaders(tpp));
  expect(status).toBe(200);
  return String(body.access_token);
}

/** Tokens of both replicas, while one of them reads the keys again, or makes the next one. */
async function passMinute(minute: number): Promise<string[]> {
  jest.setSystemTime((now += MINUTE_MS));
  const reloading = replicas[minute % replicas.length]!;
  reloading.deps.keyRing.rotation.wake();
  const tokens = await Promise.all(
    replicas.flatMap((replica) => Array.from({ length: AT_ONCE }, () => issue(replica))),
  );
  await until(
    async () => {
      const rows = await sql<{ kid: string; active_from: Date; retire_at: Date | null }>(
        around.database.url,
        'SELECT kid, active_from, retire_at FROM signing_key ORDER BY active_from',
      );
      const shown = await kidsOf(reloading);
      const published = rows.filter(({ retire_at }) => retire_at === null || Number(retire_at) > now);
      return (
        Number(rows.at(-1)!.active_from) > now && published.map(({ kid }) => kid).join() === shown.join()
      );
    },
    { what: `the keys of minute ${minute}` },
  );
  return tokens;
}

describe('keys rotate under load (§4.1, ADR-0012)', () => {
  it('and no verifier refuses a valid token, however rarely it reads the keys', async () => {
    const seldom = replicas.map(seldomReader);
    const usual = replicas.map(readerOf);
    const living: string[] = [];
    const signers = new Set<string>();
    const [first] = await kidsOf(replicas[0]!);
    const refusals: string[] = [];
    const check = async (verify: VerifyAccessToken, token: string, minute: number): Promise<void> => {
      try {
        await verify(`Bearer ${token}`, new Date());
      } catch (error) {
        refusals.push(`minute ${minute}: ${(error as Error).message}`);
      }
    };
    for (let minute = 0; minute < MINUTES; minute++) {
      for (const [i, reader] of seldom.entries())
        if ((minute + i * 5) % STALE_MINUTES === 0 || minute === 0) await reader.read();
      const issued = await passMinute(minute);
      for (const token of issued) {
        signers.add(decodeProtectedHeader(token).kid!);
        for (const verify of [...usual, ...seldom.map(({ verify }) => verify)])
          await check(verify, token, minute);
      }
      living.push(issued[0]!, issued.at(-1)!);
      while (decodeJwt(living[0]!).exp! * 1_000 <= now) living.shift();
      if (minute % ANEW_MINUTES > 0) continue;
      // One that knows no token yet needs the keys of all that live.
      for (const anew of replicas.map(readerOf)) for (const token of living) await check(anew, token, minute);
    }
    expect(refusals).toEqual([]);
    expect(signers.size).toBe(1 + Math.floor(MINUTES / ROTATION_MINUTES));
    for (const replica of replicas) expect(await kidsOf(replica)).not.toContain(first);
    expect((await kidsOf(replicas[0]!)).length).toBeLessThanOrEqual(8);
  }, 120_000);
});
