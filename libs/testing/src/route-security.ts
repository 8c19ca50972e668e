import { randomUUID } from 'node:crypto';
import { edgeHeaders, type Peers, type TestTpp } from './peers.ts';
import { testCa, testQwac } from './qwac.ts';
import { until } from '@kontoport/embedded/wait';

/** The part of a route that the walk reads; every service's route list fits. */
export interface WalkedRoute {
  method: string;
  path: string;
  security: { kind: string; scope?: string; tokenRefusal?: number; certificateRefusal?: number };
}

/** The part of a service that the walk reads: all its routes, by address. */
export interface WalkedService {
  entryPoints(): { routes: Partial<Record<string, readonly WalkedRoute[]>> };
}

/**
 * Proves for each route of a service that it refuses a caller without certificate, with an untrusted one, without
 * token, with a token past its time, with a token of another client, and without the scope (§5).
 * @param options.addresses where the running service answers, by the addresses of its routes
 */
export function describeRouteSecurity(options: {
  service: WalkedService;
  addresses: () => Partial<Record<string, string>>;
  peers: () => Peers;
}): void {
  const { service, addresses, peers } = options;
  const guarded = Object.entries(service.entryPoints().routes).flatMap(([address, routes = []]) =>
    routes.filter(({ security }) => security.kind !== 'public').map((route) => ({ ...route, address })),
  );
  type Guarded = (typeof guarded)[number];

  const ask = async (route: Guarded, headers: Record<string, string>) => {
    const path = route.path.replace(/:\w+/g, () => randomUUID());
    const response = await fetch(`${addresses()[route.address]}${path}`, { method: route.method, headers });
    const text = await response.text();
    return { status: response.status, code: text === '' ? undefined : errorOf(JSON.parse(text)) };
  };

  /** The answer once the service has heard of the client: its directory follows a moment behind. */
  const askInTheEnd = (route: Guarded, headers: Record<string, string>, not: readonly string[]) =>
    until(
      async () => {
        const answer = await ask(route, headers);
        return not.includes(String(answer.code)) ? undefined : answer;
      },
      { what: `${route.method} ${route.path} to answer other than ${not.join(' or ')}` },
    );

  describe('every route refuses a caller who proves too little (§5)', () => {
    it('lists at least one guarded route', () => {
      expect(guarded.length).toBeGreaterThan(0);
    });

    for (const route of guarded) {
      const name = `${route.method} ${route.path}`;
      const { security } = route;

      it(`${name} refuses a caller without certificate`, async () => {
        const status = security.certificateRefusal ?? 401;
        expect(await ask(route, {})).toEqual({ status, code: expectCode('CERTIFICATE_MISSING') });
      });

      it(`${name} refuses a certificate of an untrusted issuer`, async () => {
        const stranger = await testCa({ name: 'Nobody' });
        const { chain } = await testQwac({
          issuer: stranger,
          organizationName: 'X',
          organizationIdentifier: 'PSDDK-DFSA-1',
        });
        const status = security.certificateRefusal ?? 401;
        expect(await ask(route, edgeHeaders(chain))).toEqual({
          status,
          code: expectCode('CERTIFICATE_INVALID'),
        });
      });

      it(`${name} refuses a certificate that did not come from the edge`, async () => {
        const tpp = await peers().addTpp();
        const { 'x-edge-secret': _secret, ...headers } = await tpp.headers();
        expect((await ask(route, headers)).code).toEqual(expectCode('CERTIFICATE_INVALID'));
      });

      if (security.kind !== 'token') continue;
      const status = security.tokenRefusal ?? 401;

      it(`${name} refuses a caller without token`, async () => {
        const { certificateHeaders } = await peers().addTpp();
        expect(await ask(route, certificateHeaders)).toEqual({ status, code: 'TOKEN_MISSING' });
      });

      it(`${name} refuses a token past its time`, async () => {
        const tpp = await peers().addTpp();
        expect(await ask(route, await tpp.headers({ expiresIn: -60 }))).toEqual({
          status,
          code: 'TOKEN_EXPIRED',
        });
      });

      it(`${name} refuses an altered token`, async () => {
        const tpp = await peers().addTpp();
        const headers = await tpp.headers();
        expect(await ask(route, { ...headers, authorization: forge(headers.authorization!) })).toEqual({
          status,
          code: 'TOKEN_INVALID',
        });
      });

      it(`${name} refuses the token of another client`, async () => {
        const [one, other]: TestTpp[] = [await peers().addTpp(), await peers().addTpp()];
        const { authorization } = await other!.headers();
        const headers = { ...one!.certificateHeaders, authorization: authorization! };
        expect(await askInTheEnd(route, headers, ['UNAVAILABLE'])).toEqual({ status, code: 'TOKEN_INVALID' });
      });

      if (security.scope === undefined) continue;

      it(`${name} refuses a token without the scope ${security.scope}`, async () => {
        const tpp = await peers().addTpp();
        const scope = security.scope === 'PSP_AI' ? 'PSP_PI' : 'PSP_AI';
        const headers = await tpp.headers({ scope });
        expect(await askInTheEnd(route, headers, ['UNAVAILABLE', 'TOKEN_INVALID'])).toEqual({
          status: 403,
          code: 'SCOPE_INSUFFICIENT',
        });
      });
    }
  });
}

function errorOf(body: unknown): unknown {
  const { errorCode, error } = body as { errorCode?: string; error?: string };
  return errorCode ?? error;
}

/** The token endpoint says invalid_client (RFC 6749 §5.2) where the others name the errorCode. */
function expectCode(code: string): unknown {
  return expect.stringMatching(new RegExp(`^(${code}|invalid_client)$`));
}

/** The same token with one character of its payload changed. */
function forge(authorization: string): string {
  const [header, payload, signature] = authorization.split('.') as [string, string, string];
  const middle = payload.length >> 1;
  const changed = payload[middle] === 'A' ? 'B' : 'A';
  return [header, payload.slice(0, middle) + changed + payload.slice(middle + 1), signature].join('.');
}
