import { until } from '@kontoport/embedded/wait';
import { route } from '@kontoport/gate';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { z } from 'zod';
import { serve } from './served.ts';

const OTHER_CERTIFICATE = 'A'.repeat(43);
const FOREIGN_CERTIFICATE = 'B'.repeat(43);
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
let peers: FakePeers;

beforeAll(async () => {
  peers = await startFakePeers();
});
afterAll(() => peers.close());

describe('a token for another certificate of its client (§4.1, RFC 8705)', () => {
  const asked = async (binding: string | undefined, thumbprint?: string) => {
    const env = binding === undefined ? peers.env : { ...peers.env, TOKEN_BINDING: binding };
    const service = await serve({ routes, env });
    const tpp = await peers.addTpp({ furtherCertificates: [OTHER_CERTIFICATE] });
    await until(() => service.gate.directory.readiness() === undefined, { what: 'the directory' });
    await until(() => service.gate.directory.find(tpp.clientId), { what: 'the client' });
    const own = service.gate.directory.find(tpp.clientId)!.certificates[0]!.thumbprint;
    const { clientId } = tpp;
    const token = await peers.token({ clientId, scope: 'PSP_AI', thumbprint: thumbprint ?? own });
    const headers = { ...tpp.certificateHeaders, authorization: `Bearer ${token}` };
    const response = await fetch(`${service.origin}/token`, { headers });
    const body = (await response.json()) as { errorCode?: string };
    await service.close();
    return [response.status, body.errorCode];
  };

  it('is accepted by default', async () => {
    expect(await asked(undefined, OTHER_CERTIFICATE)).toEqual([200, undefined]);
    expect(await asked('client', OTHER_CERTIFICATE)).toEqual([200, undefined]);
  });

  it.each(['client', 'exact'])(
    "is refused when the certificate is not its client's (%s)",
    async (binding) => {
      expect(await asked(binding, FOREIGN_CERTIFICATE)).toEqual([401, 'TOKEN_INVALID']);
    },
  );

  it('is refused with TOKEN_BINDING=exact, which accepts it over its own', async () => {
    expect(await asked('exact', OTHER_CERTIFICATE)).toEqual([401, 'TOKEN_INVALID']);
    expect(await asked('exact')).toEqual([200, undefined]);
  });
});
