import { type ClientDirectory, openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { type Answer, ask } from '@kontoport/testing/answer';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { decodeJwt } from 'jose';
import { basic, requestToken, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

let around: Surroundings;
let origin: string;
let directory: ClientDirectory;

beforeAll(async () => {
  around = await surroundAuth();
  ({ origin } = await around.start());
  directory = openClientDirectory({
    address: around.env.REGISTRATION_GRPC!,
    service: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
});
afterAll(async () => {
  await directory.close();
  await around.close();
});

const newToken = async (tpp: TestTpp): Promise<string> =>
  String((await requestToken(origin, tokenHeaders(tpp))).body.access_token);

function revoke(tpp: TestTpp, form: Record<string, string> | string, headers = {}): Promise<Answer> {
  return ask('POST', `${origin}/oauth2/revoke`, {
    headers: { ...tokenHeaders(tpp), 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
}

/** Returns the ids of a client's revoked tokens; the directory is eventually consistent. */
const revokedOf = ({ clientId }: TestTpp): string[] =>
  directory.find(clientId)?.revokedTokens.map(({ id }) => id) ?? [];

describe('POST /oauth2/revoke (§4.1; RFC 7009)', () => {
  it('revokes the token of the client that calls, also for the second time', async () => {
    const tpp = await around.peers.addTpp();
    const token = await newToken(tpp);
    for (const _time of ['first', 'second']) {
      const answer = await revoke(tpp, { token });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      await until(() => revokedOf(tpp).includes(decodeJwt(token).jti!), { what: 'the revocation' });
    }
    const { exp, jti } = decodeJwt(token);
    expect(directory.find(tpp.clientId)?.revokedTokens[0]).toEqual({ id: jti, expiresAt: BigInt(exp!) });
  });

  it("leaves another client's token as it is, with the same answer", async () => {
    const [owner, other] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const token = await newToken(owner);
    const answer = await revoke(other, { token });
    expect([answer.status, answer.text]).toEqual([200, '']);
    // A later revocation is the only one of the client.
    const own = await newToken(other);
    await revoke(other, { token: own });
    await until(() => revokedOf(other).length === 1, { what: 'the revocation' });
    expect(revokedOf(owner)).toEqual([]);
  });

  it('answers the same for invalid, foreign and too long tokens', async () => {
    const tpp = await around.peers.addTpp();
    const token = await newToken(tpp);
    const foreign = (await tpp.headers()).authorization!.slice('Bearer '.length);
    for (const text of ['x', 'a b', 'æ', `${token}x`, foreign, 'x'.repeat(60_000)]) {
      const answer = await revoke(tpp, { token: text });
      expect([answer.status, answer.text]).toEqual([200, '']);
    }
    await revoke(tpp, { token });
    await until(() => revokedOf(tpp).length > 0, { what: 'the revocation' });
    expect(revokedOf(tpp)).toEqual([decodeJwt(token).jti]);
  });

  it("is refused over another's certificate", async () => {
    const [tpp, other] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const refused = await revoke(tpp, { token: await newToken(tpp) }, other.certificateHeaders);
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['no token', 'a=1', {}, 400, 'invalid_request'],
    ['an empty token', 'token=', {}, 400, 'invalid_request'],
    ['two tokens', 'token=a&token=b', {}, 400, 'invalid_request'],
    ['no credentials', 'token=a', { authorization: 'Bearer x' }, 401, 'invalid_client'],
  ])('is refused with %s', async (_what, form, headers, status, error) => {
    const answer = await revoke(await around.peers.addTpp(), form, headers);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  it('requires the secret, and counts failures with those of the token endpoint', async () => {
    const tpp = await around.peers.addTpp();
    const wrong = { authorization: basic(tpp.clientId, 'x'.repeat(43)) };
    for (let i = 0; i < 20; i++) expect((await revoke(tpp, { token: 'x' }, wrong)).status).toBe(401);
    expect((await revoke(tpp, { token: 'x' })).status).toBe(429);
    expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(429);
  });
});
