import { randomUUID, X509Certificate } from 'node:crypto';
import { redirectDigests, redirectUriDigests } from '@kontoport/client-directory';
import { call, createClient } from '@kontoport/grpc';
import { ClientCredentialsServiceClient, type VerifyRequest } from '@kontoport/proto/registration/v1';
import { ask } from '@kontoport/testing/answer';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { toPepper } from '../src/clients/client-secret.model.ts';
import { verifyCredentials } from '../src/credentials/verify-credentials.ts';
import type { Db } from '../src/gen/db.ts';
import {
  PEPPER,
  type RegisteredTpp,
  registerTpp,
  type RunningRegistration,
  startRegistration,
} from './running.ts';

let peers: FakePeers;
let database: TestDatabase;
let registration: RunningRegistration;
let stub: ClientCredentialsServiceClient;
let tpp: RegisteredTpp;

beforeAll(async () => {
  peers = await startFakePeers();
  database = await testDatabase('registration');
  registration = await startRegistration({ peers, databaseUrl: database.url });
  stub = createClient(ClientCredentialsServiceClient, `127.0.0.1:${registration.grpcPort}`);
});

beforeEach(async () => {
  tpp = await registerTpp(peers, registration.origin);
});

afterAll(async () => {
  stub.close();
  await registration.close();
  await database.drop();
  await peers.close();
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

  it('are looked for with one statement, the same whatever is wrong', async () => {
    const pool = openTestPool(database.url, { max: 1 });
    const statementsFor = async (change: Partial<VerifyRequest>): Promise<string[]> => {
      const statements: string[] = [];
      const db = {
        query: (text: string, values: unknown[]) => {
          statements.push(text);
          return pool.query(text, values);
        },
      } as unknown as Db;
      const { clientId, clientSecret, applicant } = tpp;
      const presented = { clientId, clientSecret, certificateThumbprint: applicant.thumbprint, ...change };
      expect(
        await verifyCredentials({ db, peppers: [toPepper(Buffer.from(PEPPER, 'base64url'))] }, presented),
      ).toBeUndefined();
      return statements;
    };
    try {
      const asked = await statementsFor({ clientId: randomUUID() });
      expect(asked).toHaveLength(1);
      expect(await statementsFor({ clientId: 'none' })).toEqual(asked);
      expect(await statementsFor({ clientSecret: 'A'.repeat(43) })).toEqual(asked);
      expect(await statementsFor({ certificateThumbprint: 'A'.repeat(43) })).toEqual(asked);
    } finally {
      await pool.end();
    }
  });

  it('give nothing for the secret of another client over its own certificate', async () => {
    const other = await registerTpp(peers, registration.origin);
    expect(await verify({ clientSecret: other.clientSecret })).toEqual({ client: undefined });
  });

  it('give nothing once the client is deleted', async () => {
    await ask('DELETE', `${registration.origin}/tpp/${tpp.clientId}`, tpp);
    expect(await verify()).toEqual({ client: undefined });
  });
});
