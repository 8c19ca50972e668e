import { randomUUID, X509Certificate } from 'node:crypto';
import { redirectDigests, redirectUriDigests } from '@kontoport/client-directory';
import { call, createClient } from '@kontoport/grpc';
import { ClientCredentialsServiceClient, type VerifyRequest } from '@kontoport/proto/registration/v1';
import { ask } from '@kontoport/testing/answer';
import type { RegisteredTpp } from './running.ts';
import { useRegistrations } from './suite.ts';

const suite = useRegistrations();

let stub: ClientCredentialsServiceClient;
let tpp: RegisteredTpp;

beforeAll(async () => {
  stub = createClient(ClientCredentialsServiceClient, `127.0.0.1:${suite.a.grpcPort}`);
});

beforeEach(async () => {
  tpp = await suite.registerTpp();
});

afterAll(async () => {
  stub.close();
});

const verify = (change: Partial<VerifyRequest> = {}) =>
  call(stub, stub.verify, {
    clientId: tpp.clientId,
    clientSecret: tpp.clientSecret,
    certificateThumbprint: tpp.applicant.thumbprint,
    ...change,
  });

describe('client credentials (§4.1, §5.3)', () => {
  it('give the client for its own secret over its own certificate', async () => {
    expect((await verify()).client).toEqual({
      clientId: tpp.clientId,
      roles: ['PSP_AI', 'PSP_PI'],
      certificates: [
        {
          thumbprint: tpp.applicant.thumbprint,
          notAfter: BigInt(new X509Certificate(tpp.applicant.qwac.chain[0]!).validToDate.getTime() / 1_000),
          roles: ['PSP_PI', 'PSP_AI'],
        },
      ],
      redirectDigests: redirectDigests(['https://fjord.example/callback']),
      redirectUriDigests: redirectUriDigests(['https://fjord.example/callback']),
      organizationIdentifier: tpp.applicant.organizationIdentifier,
      displayName: 'Fjord Budget ApS',
      revokedTokens: [],
      deleted: false,
      revision: expect.any(BigInt),
    });
  });

  it.each<[string, () => Partial<VerifyRequest>]>([
    ['an unknown client', () => ({ clientId: randomUUID() })],
    ['a client id that is none', () => ({ clientId: "' OR true --" })],
    ['a wrong secret', () => ({ clientSecret: 'A'.repeat(43) })],
    ['no secret', () => ({ clientSecret: '' })],
    ['a secret with something added', () => ({ clientSecret: `${tpp.clientSecret}A` })],
    ['the certificate of another', () => ({ certificateThumbprint: 'A'.repeat(43) })],
    ['no certificate', () => ({ certificateThumbprint: '' })],
  ])('give nothing for %s', async (_title, change) => {
    expect(await verify(change())).toEqual({ client: undefined });
  });

  it('give nothing for the secret of another client over its own certificate', async () => {
    const other = await suite.registerTpp();
    expect(await verify({ clientSecret: other.clientSecret })).toEqual({ client: undefined });
  });

  it('give nothing once the client is deleted', async () => {
    await ask('DELETE', `${suite.a.origin}/tpp/${tpp.clientId}`, tpp);
    expect(await verify()).toEqual({ client: undefined });
  });
});
