import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { decodeJwt } from 'jose';
import { edgeHeaders, type FakePeers, type TestTpp } from './fake-peers.ts';
import { testCa, testQwac } from './qwac.ts';

/** The part of a route that the tests read. */
export interface WalkedRoute {
  method: string;
  path: string;
  security: {
    kind: string;
    scope?: string;
    tokenRefusal?: number;
    certificateRefusal?: number;
  };
}

/** The part of a service that the tests read: its routes, by address. */
export interface WalkedService {
  entryPoints(): { routes: Partial<Record<string, readonly WalkedRoute[]>> };
}

/**
 * Tests for each route of a service that it refuses a caller without certificate, with an untrusted one, without token,
 * with an expired, revoked or foreign token, and without the scope (§5).
 * @param options.addresses origins of the running service, by the addresses of its routes
 */
export function describeRouteSecurity(options: {
  service: WalkedService;
  addresses: () => Partial<Record<string, string>>;
  peers: () => FakePeers;
}): void {
  const { service, addresses, peers } = options;
  const guarded = Object.entries(service.entryPoints().routes).flatMap(([address, routes = []]) =>
    routes
      .filter(({ security }) => security.kind !== 'public')
      .map((route): Walk => ({ route, origin: () => addresses()[address], peers })),
  );

  describe('every route refuses a caller who proves too little (§5)', () => {
    it('lists at least one guarded route', () => {
      expect(guarded.length).toBeGreaterThan(0);
    });

    for (const walk of guarded) {
      const { kind, scope } = walk.route.security;
      refusesWithoutCertificate(walk);
      if (kind === 'token') refusesWithoutToken(walk);
      if (kind === 'token') refusesRevokedToken(walk);
      if (kind === 'token' && scope !== undefined) refusesWithoutScope(walk, scope);
    }
  });
}

/** A route, its origin and its callers. */
interface Walk {
  route: WalkedRoute;
  origin: () => string | undefined;
  peers: () => FakePeers;
}

const nameOf = ({ route }: Walk): string => `${route.method} ${route.path}`;

async function ask({ route, origin }: Walk, headers: Record<string, string>) {
  const path = route.path.replace(/:\w+/g, () => randomUUID());
  const response = await fetch(`${origin()}${path}`, { method: route.method, headers });
  const text = await response.text();
  return { status: response.status, code: text === '' ? undefined : errorOf(JSON.parse(text)) };
}

/** The answer after the client's replication to the service. */
function askInTheEnd(walk: Walk, headers: Record<string, string>, not: readonly string[]) {
  return until(
    async () => {
      const answer = await ask(walk, headers);
      return not.includes(String(answer.code)) ? undefined : answer;
    },
    { what: `${nameOf(walk)} to answer other than ${not.join(' or ')}` },
  );
}

function refusesWithoutCertificate(walk: Walk): void {
  const name = nameOf(walk);
  const status = walk.route.security.certificateRefusal ?? 401;

  it(`${name} refuses a caller without certificate`, async () => {
    expect(await ask(walk, {})).toEqual({ status, code: expectCode('CERTIFICATE_MISSING') });
  });

  it(`${name} refuses a certificate of an untrusted issuer`, async () => {
    const stranger = await testCa({ name: 'Nobody' });
    const { chain } = await testQwac({
      issuer: stranger,
      organizationName: 'X',
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    expect(await ask(walk, edgeHeaders(chain))).toEqual({ status, code: expectCode('CERTIFICATE_INVALID') });
  });

  it(`${name} refuses a certificate that did not come from the edge`, async () => {
    const tpp = await walk.peers().addTpp();
    const { 'x-edge-secret': _secret, ...headers } = await tpp.headers();
    expect((await ask(walk, headers)).code).toEqual(expectCode('CERTIFICATE_INVALID'));
  });
}

function refusesWithoutToken(walk: Walk): void {
  const name = nameOf(walk);
  const { peers } = walk;
  const status = walk.route.security.tokenRefusal ?? 401;

  it(`${name} refuses a caller without token`, async () => {
    const { certificateHeaders } = await peers().addTpp();
    expect(await ask(walk, certificateHeaders)).toEqual({ status, code: 'TOKEN_MISSING' });
  });

  it(`${name} refuses a token past its time`, async () => {
    const tpp = await peers().addTpp();
    expect(await ask(walk, await tpp.headers({ expiresIn: -60 }))).toEqual({ status, code: 'TOKEN_EXPIRED' });
  });

  it(`${name} refuses an altered token`, async () => {
    const tpp = await peers().addTpp();
    const headers = await tpp.headers();
    expect(await ask(walk, { ...headers, authorization: forge(headers.authorization!) })).toEqual({
      status,
      code: 'TOKEN_INVALID',
    });
  });

  it(`${name} refuses the token of another client`, async () => {
    const [one, other]: TestTpp[] = [await peers().addTpp(), await peers().addTpp()];
    const { authorization } = await other!.headers();
    const headers = { ...one!.certificateHeaders, authorization: authorization! };
    expect(await askInTheEnd(walk, headers, ['UNAVAILABLE'])).toEqual({ status, code: 'TOKEN_INVALID' });
  });
}

function refusesRevokedToken(walk: Walk): void {
  const { peers } = walk;
  const status = walk.route.security.tokenRefusal ?? 401;

  it(`${nameOf(walk)} refuses a revoked token, and takes another of the client`, async () => {
    const tpp = await peers().addTpp();
    const [revoked, other] = [await tpp.headers(), await tpp.headers()];
    await askInTheEnd(walk, revoked, ['UNAVAILABLE', 'TOKEN_INVALID']);
    const { jti, exp } = decodeJwt(revoked.authorization!.slice('Bearer '.length));
    peers().revokeToken({ clientId: tpp.clientId, tokenId: jti!, expiresAt: BigInt(exp!) });
    expect(
      await until(async () => [await ask(walk, revoked)].find(({ code }) => code === 'TOKEN_INVALID'), {
        what: 'the revocation to arrive',
      }),
    ).toEqual({ status, code: 'TOKEN_INVALID' });
    expect((await ask(walk, other)).code).not.toBe('TOKEN_INVALID');
  });
}

function refusesWithoutScope(walk: Walk, demanded: string): void {
  it(`${nameOf(walk)} refuses a token without the scope ${demanded}`, async () => {
    const tpp = await walk.peers().addTpp();
    const scope = demanded === 'PSP_AI' ? 'PSP_PI' : 'PSP_AI';
    const headers = await tpp.headers({ scope });
    expect(await askInTheEnd(walk, headers, ['UNAVAILABLE', 'TOKEN_INVALID'])).toEqual({
      status: 403,
      code: 'SCOPE_INSUFFICIENT',
    });
  });
}

function errorOf(body: unknown): unknown {
  const { errorCode, error } = body as { errorCode?: string; error?: string };
  return errorCode ?? error;
}

/** The token endpoint answers invalid_client (RFC 6749 §5.2) in place of the errorCode. */
function expectCode(code: string): unknown {
  return expect.stringMatching(new RegExp(`^(${code}|invalid_client)$`));
}

/** Changes one character of the payload of a token. */
function forge(authorization: string): string {
  const [header, payload, signature] = authorization.split('.') as [string, string, string];
  const middle = payload.length >> 1;
  const changed = payload[middle] === 'A' ? 'B' : 'A';
  return [header, payload.slice(0, middle) + changed + payload.slice(middle + 1), signature].join('.');
}
