import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { route } from '@kontoport/gate';
import { edgeHeaders, type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { testQwac } from '@kontoport/testing/qwac';
import {
  makeOcspResponse,
  ocspAt,
  type Responder,
  signerOf,
  startResponder,
} from '@kontoport/testing/revocation-responder';
import { z } from 'zod';
import { serve } from './served.ts';

const ok = async () => ({ status: 200, json: {} }) as const;
const words = {
  clause: '§5.1',
  summary: 'A test',
  answers: { 200: { description: 'Let in.', json: z.unknown(), example: {} } },
} as const;
const routes = [
  route({ ...words, method: 'GET', path: '/certificate', security: { kind: 'certificate' }, handler: ok }),
  route({
    ...words,
    method: 'POST',
    path: '/register',
    security: { kind: 'certificate', certificateRefusal: 403 },
    handler: ok,
  }),
];

let peers: FakePeers;
let responder: Responder;
const served: Awaited<ReturnType<typeof serve>>[] = [];

beforeAll(async () => {
  peers = await startFakePeers();
  responder = await startResponder();
  // As a trust anchor of its own it needs no revocation check.
  writeFileSync(join(peers.env.TRUST_ANCHORS!, 'issuing.pem'), peers.issuing.certificatePem);
});

afterEach(async () => {
  for (const one of served.splice(0)) await one.close();
});

afterAll(async () => {
  await responder.close();
  await peers.close();
});

/** The headers of a TPP whose certificate names a responder that answers so. */
async function presented(path: string, answer: 'good' | 'revoked' | RequestListener) {
  const { issuing } = peers;
  const { chain } = await testQwac({
    issuer: issuing,
    organizationName: 'Test TPP',
    organizationIdentifier: 'PSDDK-DFSA-1',
    extensions: [ocspAt(responder.origin + path)],
  });
  const said = (status: 'good' | 'revoked') =>
    makeOcspResponse({ certificate: chain[0]!, issuer: issuing.der, signer: signerOf(issuing), status });
  responder.on(path, typeof answer === 'string' ? said(answer) : answer);
  return edgeHeaders(chain);
}

async function serveWith(env: Record<string, string>) {
  const one = await serve({ routes, env: { ...peers.env, ...env } });
  served.push(one);
  return async (headers: Record<string, string>, path = '/certificate', method = 'GET') => {
    const response = await fetch(one.origin + path, { method, headers });
    const json = (await response.json()) as { errorCode?: string; message?: string };
    return { status: response.status, json, retryAfter: response.headers.get('retry-after') };
  };
}

const away: RequestListener = (_request, response) => response.destroy();

describe('a revoked certificate (§5.1, §7; ADR-0007)', () => {
  it('is refused with CERTIFICATE_REVOKED, with the status of the route', async () => {
    const ask = await serveWith({ REVOCATION_LOOPBACK: 'true' });
    const headers = await presented('/revoked', 'revoked');
    const refused = await ask(headers);
    expect(refused).toMatchObject({ status: 401, json: { errorCode: 'CERTIFICATE_REVOKED' } });
    expect(refused.json.message).toMatch(/^revocation: .* revoked at .* RFC 6960/);
    expect(await ask(headers, '/register', 'POST')).toMatchObject({
      status: 403,
      json: { errorCode: 'CERTIFICATE_REVOKED' },
    });
  });

  it('is not looked up at an address that is not public', async () => {
    const ask = await serveWith({});
    expect((await ask(await presented('/private', 'revoked'))).status).toBe(200);
    expect(responder.asked).not.toContain('/private');
  });
});

describe('REVOCATION', () => {
  it('soft-fail accepts an unknown status; it is the default', async () => {
    const ask = await serveWith({ REVOCATION_LOOPBACK: 'true' });
    expect((await ask(await presented('/soft', away))).status).toBe(200);
  });

  it('hard-fail answers 503 with Retry-After, and looks it up again later', async () => {
    const ask = await serveWith({ REVOCATION: 'hard-fail', REVOCATION_LOOPBACK: 'true' });
    expect((await ask(await presented('/good', 'good'))).status).toBe(200);
    const refused = await ask(await presented('/hard', away), '/register', 'POST');
    expect(refused).toMatchObject({ status: 503, json: { errorCode: 'UNAVAILABLE' }, retryAfter: '60' });
  });

  it('hard-fail rejects an endless answer after a bounded read', async () => {
    const ask = await serveWith({ REVOCATION: 'hard-fail', REVOCATION_LOOPBACK: 'true' });
    const answering: Socket[] = [];
    const hints: RequestListener = (_request, { socket }) => {
      answering.push(socket!);
      const more = (): void => {
        while (!socket!.destroyed && socket!.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)));
      };
      socket!.on('drain', more);
      more();
    };
    expect(await ask(await presented('/endless', hints))).toMatchObject({
      status: 401,
      json: {
        errorCode: 'CERTIFICATE_INVALID',
        message: expect.stringMatching(/^revocation-status: .* answers without end/),
      },
    });
    const [socket] = answering;
    if (!socket!.destroyed) await once(socket!, 'close');
    // `bytesWritten` includes the bytes in the buffers between the two.
    expect(socket!.bytesWritten).toBeLessThan(16_000_000);
  });

  it('hard-fail rejects a certificate without a revocation source', async () => {
    const ask = await serveWith({ REVOCATION: 'hard-fail' });
    const tpp = await peers.addTpp();
    expect(await ask(tpp.certificateHeaders)).toMatchObject({
      status: 401,
      json: { errorCode: 'CERTIFICATE_INVALID', message: expect.stringMatching(/^revocation-status: /) },
    });
  });

  it('off makes no look-up', async () => {
    const ask = await serveWith({ REVOCATION: 'off', REVOCATION_LOOPBACK: 'true' });
    expect((await ask(await presented('/off', 'revoked'))).status).toBe(200);
    expect(responder.asked).not.toContain('/off');
  });
});
