import { createHash, randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { route } from '@kontoport/gate';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { z } from 'zod';
import { serve } from './served.ts';

const routes = [
  route({
    method: 'GET',
    path: '/token',
    clause: '§5',
    summary: 'A test',
    security: { kind: 'token' },
    answers: { 200: { description: 'Let in.', json: z.unknown(), example: {} } },
    handler: async () => ({ status: 200, json: {} }),
  }),
];

describe('a revoked token (§4.1)', () => {
  it('is refused, and with the id of an authorization all of its tokens and no other', async () => {
    const peers = await startFakePeers();
    const service = await serve({ routes, env: peers.env });
    const { clientId, qwac, certificateHeaders } = await peers.addTpp();
    const thumbprint = createHash('sha256').update(qwac.chain[0]!).digest('base64url');
    await until(() => service.gate.directory.readiness() === undefined, { what: 'the directory' });
    await until(() => service.gate.directory.find(clientId), { what: 'the client' });
    const status = async (tokenId: string): Promise<number> => {
      const token = await peers.token({ clientId, scope: 'PSP_AI', thumbprint, tokenId });
      const headers = { ...certificateHeaders, authorization: `Bearer ${token}` };
      return (await fetch(`${service.origin}/token`, { headers })).status;
    };
    const [alone, authorization] = [randomUUID(), randomUUID()];
    const tokenIds = [alone, `${alone}x`, `${authorization}_1`, `${authorization}_2`, `${authorization}-1`];
    const statuses = (): Promise<number[]> => Promise.all(tokenIds.map(status));
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
    for (const tokenId of [alone, authorization])
      peers.revokeToken({ clientId, tokenId, expiresAt: BigInt(Math.floor(Date.now() / 1_000) + 600) });
    await until(() => service.gate.directory.find(clientId)?.revokedTokens.length === 2, {
      what: 'the news',
    });
    expect(await statuses()).toEqual([401, 200, 401, 401, 200]);
    await service.close();
    await peers.close();
  });
});
