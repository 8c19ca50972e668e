import { describeWith } from '@kontoport/testing/describe-with';
import type { TestQwac } from '@kontoport/testing/qwac';
import { EDGE_ADDRESSES } from '../src/routes.ts';
import { missingFor, nameOf, REAL_EDGES } from './real-edge.ts';
import { RecipeScene } from './recipe-scene.ts';

describeWith('the configuration of HAProxy', { missing: missingFor(REAL_EDGES.haproxy) }, () => {
  const scene = new RecipeScene();
  let tpp: TestQwac;

  beforeAll(async () => {
    await scene.open(REAL_EDGES.haproxy);
    tpp = await scene.mint('TPP');
  });
  afterAll(() => scene.close());

  it.each(EDGE_ADDRESSES)('serves %s by the name in the handshake, on one port for all', async (address) => {
    const { status, headers } = await scene.ask(address, { qwac: tpp, servername: nameOf(address) });
    expect(status).toBe(200);
    expect(headers['strict-transport-security']).toBe(address === 'user' ? 'max-age=31536000' : undefined);
    expect('x-ssl-client-cert' in scene.seen).toBe(address !== 'user');
  });

  it.each(['other.localhost', ''])('closes a connection to an unknown name: "%s"', async (servername) => {
    await expect(scene.ask('base', { qwac: tpp, servername })).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('counts its own 5xx at the backend, and those of the service at the server', async () => {
    scene.closeService();
    expect((await scene.ask('base', { qwac: tpp })).status).toBe(503);
    const metrics = await (await fetch(`http://127.0.0.1:${scene.edge.ports!.ops}/metrics`)).text();
    const countOf = (side: string): string | undefined =>
      new RegExp(
        `^haproxy_${side}_http_responses_total\\{proxy="account_information",.*code="5xx"\\} (\\d+)$`,
        'm',
      ).exec(metrics)?.[1];
    expect([countOf('backend'), countOf('server')]).toEqual(['1', '0']);
  });
});
