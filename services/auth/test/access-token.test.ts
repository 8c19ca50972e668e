import { createHmac, randomUUID } from 'node:crypto';
import { unseal } from '@kontoport/database';
import { createAccessTokenVerifier, type VerifyAccessToken } from '@kontoport/gate';
import { openTestPool } from '@kontoport/testing/postgres';
import { decodeJwt, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { requestToken, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

let around: Surroundings;
let verify: VerifyAccessToken;
let token: string;
let claims: JWTPayload;
let publicJwk: JWK;
let privateJwk: JWK;

beforeAll(async () => {
  around = await surroundAuth();
  const { origin } = await around.start();
  const jwksUrl = `${origin}/.well-known/jwks.json`;
  verify = createAccessTokenVerifier({ keys: jwksUrl, issuer: around.env.TOKEN_ISSUER! });
  const { body } = await requestToken(origin, tokenHeaders(await around.peers.addTpp()));
  token = String(body.access_token);
  claims = decodeJwt(token);
  [publicJwk] = ((await (await fetch(jwksUrl)).json()) as { keys: [JWK] }).keys;
  const pool = openTestPool(around.database.url);
  const { rows } = await pool.query<{ sealed: Buffer }>(
    'SELECT sealed_private_jwk AS sealed FROM signing_key WHERE kid = $1',
    [publicJwk.kid],
  );
  await pool.end();
  const secretsKey = Buffer.from(around.env.SECRETS_KEY!, 'base64url');
  privateJwk = JSON.parse(
    unseal(secretsKey, rows[0]!.sealed, `signing-key/${publicJwk.kid!}`).toString(),
  ) as JWK;
});
afterAll(() => around.close());

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token signed by auth's own key, as if auth had issued it. */
async function signed(payload: JWTPayload, header: { typ?: string; kid?: string } = {}): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: publicJwk.kid!, ...header })
    .sign(await importJWK(privateJwk, 'ES256'));
}

async function outcome(jwt: string, now = new Date()): Promise<string> {
  try {
    await verify(`Bearer ${jwt}`, now);
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('an access token before the services (§5; RFC 9068 §4, RFC 8725)', () => {
  it('is accepted as issued', async () => {
    expect(await verify(`Bearer ${token}`, new Date())).toEqual({
      tokenId: claims.jti,
      clientId: claims.sub,
      scopes: ['PSP_AI', 'PSP_PI'],
      certificateThumbprint: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: claims.exp,
    });
    expect(await outcome(await signed(claims))).toBe('accepted');
  });

  it('is refused from its exp on, whether it was seen before or not', async () => {
    const end = new Date(claims.exp! * 1_000);
    expect(await outcome(token, new Date(end.getTime() - 1_000))).toBe('accepted');
    expect(await outcome(token, end)).toBe('TOKEN_EXPIRED');
    expect(await outcome(await signed({ ...claims, jti: randomUUID() }), end)).toBe('TOKEN_EXPIRED');
  });

  it('is accepted when issued up to 60 s ahead of our clock, and refused beyond', async () => {
    const now = new Date(claims.iat! * 1_000);
    const issuedAhead = (seconds: number) => signed({ ...claims, iat: claims.iat! + seconds });
    expect(await outcome(await issuedAhead(60), now)).toBe('accepted');
    expect(await outcome(await issuedAhead(61), now)).toBe('TOKEN_INVALID');
    expect(await outcome(await issuedAhead(3_500), now)).toBe('TOKEN_INVALID');
    const late = new Date(now.getTime() + 1_000);
    expect(await outcome(await issuedAhead(61), late)).toBe('accepted');
  });

  it('is refused with any part altered', async () => {
    for (const part of [0, 1, 2]) {
      const parts = token.split('.');
      const text = parts[part]!;
      parts[part] = `${text.slice(0, 10)}${text[10] === 'A' ? 'B' : 'A'}${text.slice(11)}`;
      expect(await outcome(parts.join('.'))).toBe('TOKEN_INVALID');
    }
  });

  it.each<[string, Partial<JWTPayload>, object]>([
    ['another audience', { aud: 'https://elsewhere.test' }, {}],
    ['no audience', { aud: undefined }, {}],
    ['another issuer', { iss: 'https://elsewhere.test' }, {}],
    ['no exp', { exp: undefined }, {}],
    ['no iat', { iat: undefined }, {}],
    ['an iat in fractions of a second', { iat: 1_700_000_000.5 }, {}],
    ['no jti', { jti: undefined }, {}],
    ['an empty jti', { jti: '' }, {}],
    ['an endless jti', { jti: 'x'.repeat(65) }, {}],
    ['no scope', { scope: undefined }, {}],
    ['no certificate binding', { cnf: undefined }, {}],
    ['a subject that is no client id', { sub: 'root' }, {}],
    ['the type of an ID token', {}, { typ: 'JWT' }],
    ['no type', {}, { typ: undefined }],
    ['a key id that nobody published', {}, { kid: 'x'.repeat(43) }],
  ])("is refused with %s, even under auth's own key", async (_what, changed, header) => {
    expect(await outcome(await signed({ ...claims, ...changed }, header))).toBe('TOKEN_INVALID');
  });

  it('is refused without signature (alg none)', async () => {
    const body = base64url(claims);
    for (const alg of ['none', 'None', ''])
      expect(await outcome(`${base64url({ alg, typ: 'at+jwt', kid: publicJwk.kid })}.${body}.`)).toBe(
        'TOKEN_INVALID',
      );
  });

  it('is refused with the public key as an HMAC secret', async () => {
    for (const secret of [JSON.stringify(publicJwk), publicJwk.x!, '']) {
      const input = `${base64url({ alg: 'HS256', typ: 'at+jwt', kid: publicJwk.kid })}.${base64url(claims)}`;
      const mac = createHmac('sha256', secret).update(input).digest('base64url');
      expect(await outcome(`${input}.${mac}`)).toBe('TOKEN_INVALID');
    }
  });

  it('is refused under a key that it brings itself', async () => {
    const pair = await generateKeyPair('ES256');
    const { d: _d, ...jwk } = privateJwk;
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: publicJwk.kid!, jwk })
      .sign(pair.privateKey);
    expect(await outcome(forged)).toBe('TOKEN_INVALID');
  });

  it.each([
    ['an empty header', ''],
    ['a scheme without token', 'Bearer'],
    ['another scheme', 'Basic abc'],
    ['two tokens', 'Bearer a b'],
    ['an endless token', `Bearer ${'x'.repeat(5_000)}`],
    ['letters that no token has', 'Bearer ø'],
  ])('is refused as %s', async (_what, header) => {
    await expect(async () => verify(header, new Date())).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
      status: 401,
    });
  });

  it('is missing without header', async () => {
    await expect(async () => verify(undefined, new Date())).rejects.toMatchObject({
      code: 'TOKEN_MISSING',
      status: 401,
    });
  });
});
