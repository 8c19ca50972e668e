import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { call, createClient } from '@kontoport/grpc';
import { RequestLogServiceClient } from '@kontoport/proto/requests/v1';
import { type Running, startAccountInformation } from './running.ts';

describe('account-information in production (§Sandbox)', () => {
  let running: Running;
  beforeAll(async () => {
    running = await startAccountInformation({ env: { ENVIRONMENT: 'production' } });
  });
  afterAll(() => running.close());

  it("shows the bank's accounts to the client of the user's consent", async () => {
    const [tpp, stranger] = [await running.addTpp(), await running.addTpp()];
    const [userId, accountId] = [randomUUID(), randomUUID()];
    expect(await tpp.accounts()).toEqual([]);
    await running.feed.putAccount({
      accountId,
      userId,
      name: 'Lønkonto',
      type: 'CHECKING',
      currency: 'DKK',
      bban: '00400440116243',
      openingBalance: { value: '100.00', currency: 'DKK' },
    });
    expect(await tpp.accounts()).toEqual([]);
    const offered = await running.listUserAccounts(tpp.clientId, userId);
    expect(offered.accounts.map((account) => account.accountId)).toEqual([accountId]);
    const validUntil = new Date(Date.now() + 86_400_000);
    const asked = { clientId: tpp.clientId, userId, accountIds: [accountId], roles: ['PSP_AI'] };
    await running.createConsent({ consentId: randomUUID(), validUntil, ...asked });
    expect((await tpp.accounts()).map(({ id, balanceAmount }) => [id, balanceAmount])).toEqual([
      [accountId, 100],
    ]);
    expect(await stranger.accounts()).toEqual([]);
  });

  it('offers no user by name', async () => {
    expect((await running.listUsers(randomUUID())).users).toEqual([]);
  });

  it('stores no request log', async () => {
    const client = createClient(RequestLogServiceClient, running.grpcAddress);
    await expect(call(client, client.recordRequests, { requests: [] })).rejects.toMatchObject({
      cause: { code: status.UNIMPLEMENTED },
    });
    client.close();
  });

  it('has no routes of the sandbox', async () => {
    const { headers } = await running.addTpp();
    const ask = async (path: string, method: string) => {
      const response = await fetch(running.origin + path, { method, headers });
      const { errorCode } = (await response.json()) as { errorCode?: string };
      return [response.status, errorCode];
    };
    for (const [method, path] of [
      ['GET', '/sandbox/accounts'],
      ['GET', '/aisp-pisp/sandbox/accounts'],
      ['GET', '/sandbox/clock'],
      ['GET', '/sandbox/requests'],
      ['POST', '/sandbox/clock'],
      ['POST', '/sandbox/reset'],
      ['GET', '/sandbox/triggers'],
      ['POST', `/sandbox/accounts/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}/postings`],
    ] as const)
      expect(await ask(path, method)).toEqual([404, 'ROUTE_UNKNOWN']);
  });
});
