import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { call, createClient } from '@kontoport/grpc';
import { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import { defineService, type InProcess, startInProcess } from '@kontoport/service';
import type { Answer } from '@kontoport/testing/answer';
import { said } from '@kontoport/testing/said';
import { decodeJwt } from 'jose';
import { adapters } from '../src/adapters.ts';
import { app } from '../src/app.ts';
import { config } from '../src/config.ts';
import { openDeps } from '../src/deps.ts';
import { newCode, newTokens, type Origins, post, redeem, refresh } from './code-flow.ts';
import { sql, surroundAuth, type Surroundings } from './running.ts';

let around: Surroundings;
let at: Origins;
/** A replica that cannot reach account-information. */
let alone: Origins;
/** A replica without signing keys. */
let keyless: InProcess<unknown>;
let withoutKeys: Origins;
let consents: ConsentsServiceClient;

beforeAll(async () => {
  around = await surroundAuth({ accounts: 'sandbox' });
  at = await around.start();
  alone = await around.start({ ACCOUNTS_GRPC: '127.0.0.1:1' });
  const blind = defineService({
    name: 'auth',
    config,
    adapters,
    async open(context: Parameters<typeof openDeps>[0]) {
      const deps = await openDeps(context);
      const signer = (): never => {
        throw new ApiError('UNAVAILABLE', said('The keys are away.'));
      };
      return { ...deps, keyRing: { ...deps.keyRing, signer } };
    },
    app,
  });
  keyless = await startInProcess(blind, around.env);
  withoutKeys = { ...at, origin: keyless.addresses.auth_url! };
  consents = createClient(ConsentsServiceClient, around.env.ACCOUNTS_GRPC!);
});
afterAll(async () => {
  consents.close();
  await keyless.close();
  await around.close();
});

const error = ({ status, body }: Answer): unknown[] => [status, body.error];
const INVALID_GRANT = [400, 'invalid_grant'];
const AWAY = [503, 'temporarily_unavailable'];

describe('a code (§5.9)', () => {
  it.each(['private-dk', 'private-se', 'private-no'])('of prompt=none is of the user %s', async (hint) => {
    const tpp = await around.peers.addTpp();
    const { clientId } = tpp;
    const { access } = await newTokens(at, tpp, { login_hint: hint });
    const consentId = String(decodeJwt(access).consent_id);
    const { consent } = await call(consents, consents.getConsent, { consentId, clientId });
    const { users } = await call(consents, consents.listUsers, { clientId });
    expect(users.find(({ userId }) => userId === consent!.userId)?.loginHint).toBe(hint);
  });

  it('stays valid without account-information', async () => {
    const tpp = await around.peers.addTpp();
    const code = await newCode(at, tpp);
    expect(error(await redeem(alone, tpp, code))).toEqual(AWAY);
    expect((await redeem(at, tpp, code)).status).toBe(200);
  });

  it('stays valid without signing keys, and creates no consent', async () => {
    const tpp = await around.peers.addTpp();
    const code = await newCode(at, tpp);
    const { clientId } = tpp;
    const before = (await call(consents, consents.listConsents, { clientId })).consents.length;
    expect(error(await redeem(withoutKeys, tpp, code))).toEqual(AWAY);
    expect((await call(consents, consents.listConsents, { clientId })).consents).toHaveLength(before);
    expect((await redeem(at, tpp, code)).status).toBe(200);
  });

  it('issues nothing under a consent that was withdrawn before the answer', async () => {
    const tpp = await around.peers.addTpp();
    const { clientId } = tpp;
    const code = await newCode(at, tpp);
    const [decision] = await sql<{ id: string; user: string; accounts: string[]; end: Date }>(
      around.database.url,
      `SELECT consent_id AS id, user_id AS user, account_ids AS accounts, valid_until AS end
       FROM authorization_decision WHERE client_id = $1`,
      [clientId],
    );
    const { id: consentId, user: userId, accounts: accountIds, end: validUntil } = decision!;
    const roles = ['PSP_AI', 'PSP_PI'];
    // The state after a replica crashed between the consent and its answer.
    await call(consents, consents.createConsent, {
      consentId,
      clientId,
      userId,
      accountIds,
      roles,
      validUntil,
    });
    await call(consents, consents.revokeConsent, { consentId, userId });
    expect(error(await redeem(at, tpp, code))).toEqual(INVALID_GRANT);
  });
});

describe('a refresh token (§5.9)', () => {
  it('stays the newest without signing keys', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    expect(error(await refresh(withoutKeys, tpp, first.refresh))).toEqual(AWAY);
    const [family] = await sql<{ generation: number }>(
      around.database.url,
      'SELECT generation FROM token_family WHERE client_id = $1',
      [tpp.clientId],
    );
    expect(family).toEqual({ generation: 1 });
    expect((await refresh(at, tpp, first.refresh)).status).toBe(200);
  });

  it('keeps the latest end of the access tokens, so that all can be revoked', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    // The state after an access token with a later end than the next one.
    await sql(
      around.database.url,
      "UPDATE token_family SET access_until = access_until + interval '2 h' WHERE client_id = $1",
      [tpp.clientId],
    );
    const accessUntil = (): Promise<object[]> =>
      sql(around.database.url, 'SELECT access_until FROM token_family WHERE client_id = $1', [tpp.clientId]);
    const noted = await accessUntil();
    expect((await refresh(at, tpp, first.refresh)).status).toBe(200);
    expect(await accessUntil()).toEqual(noted);
  });

  it('stays valid without account-information', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    expect(error(await refresh(alone, tpp, first.refresh))).toEqual(AWAY);
    const rows = await sql(
      around.database.url,
      'SELECT generation, ended_at FROM token_family WHERE client_id = $1',
      [tpp.clientId],
    );
    expect(rows).toEqual([{ generation: 1, ended_at: null }]);
    expect((await refresh(at, tpp, first.refresh)).status).toBe(200);
  });

  it('is not reported as revoked while services may accept its access tokens', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    const revoke = (): Promise<Answer> => post(at, '/oauth2/revoke', { tpp, form: { token: first.refresh } });
    around.peers.silence();
    const answer = await revoke().finally(() => around.peers.speak());
    expect(error(answer)).toEqual(AWAY);
    await until(async () => (await revoke()).status === 200, {
      what: 'registration to be heard',
    });
    expect(error(await refresh(at, tpp, first.refresh))).toEqual(INVALID_GRANT);
  });
});
