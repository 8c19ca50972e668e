import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { testCa, type TestQwac, testQwac } from '@kontoport/testing/qwac';
import { LIMIT_MS, useStack } from './started-stack.ts';

const { start } = useStack();

/** POST /tpp over mutual TLS with a certificate, or with none. */
async function register(stack: { registrationUrl: string; serverCa: string }, qwac?: TestQwac) {
  const outgoing = request(`${stack.registrationUrl}/tpp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ca: readFileSync(stack.serverCa),
    ...(qwac ? { cert: qwac.chainPem, key: qwac.keyPem } : {}),
    agent: false,
  });
  outgoing.end(
    JSON.stringify({
      name: 'TPP',
      roles: ['PSP_AI', 'PSP_PI'],
      redirectUris: ['https://tpp.example/callback'],
    }),
  );
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answer = JSON.parse(await text(response)) as {
    errorCode?: string;
    message?: string;
    clientId?: string;
  };
  return { status: response.statusCode, ...answer };
}

describe('who may register (§5.1, §5.2)', () => {
  it(
    'is decided by the trust-anchor folder: a CA dropped in counts within seconds',
    async () => {
      const { child, ended, ready } = start('--no-tour');
      const stack = await ready();
      const root = await testCa({ name: 'Another Root' });
      const issuer = await testCa({ name: 'Another Issuing CA', issuer: root });
      const of = { issuer, organizationName: 'TPP', organizationIdentifier: 'PSDSE-FINA-1' };
      const good = await testQwac(of);

      expect(await register(stack)).toMatchObject({ status: 403, errorCode: 'CERTIFICATE_MISSING' });
      const untrusted = await register(stack, good);
      expect(untrusted).toMatchObject({ status: 403, errorCode: 'CERTIFICATE_INVALID' });
      expect(untrusted.message).toMatch(/not trusted|is trusted/);

      writeFileSync(join(stack.trustAnchors, 'another.pem'), root.certificatePem);
      const accepted = await until(
        async () => {
          const answer = await register(stack, good);
          return answer.status === 201 && answer;
        },
        { what: 'the new CA to count' },
      );
      expect(accepted.clientId).toBeDefined();

      const day = 86_400_000;
      const expired = await testQwac({
        ...of,
        notBefore: new Date(Date.now() - 2 * day),
        notAfter: new Date(Date.now() - day),
      });
      expect(await register(stack, expired)).toMatchObject({ status: 403, errorCode: 'CERTIFICATE_EXPIRED' });
      const oneRole = await testQwac({ ...of, roles: ['PSP_AI'] });
      expect(await register(stack, oneRole)).toMatchObject({ status: 403, errorCode: 'ROLE_INVALID' });

      child.kill('SIGINT');
      expect(await ended).toBe(0);
    },
    LIMIT_MS,
  );
});

describe('npm start on taken ports', () => {
  it('names every one of them at once, and a whole command that takes others', async () => {
    const others = [1, 2].map(() => createServer((socket) => socket.on('error', () => {})));
    const ports: number[] = [];
    for (const other of others) {
      other.listen(0, '127.0.0.1');
      await once(other, 'listening');
      ports.push((other.address() as AddressInfo).port);
    }
    const [base, auth] = ports as [number, number];
    const { ended, output } = start('--no-tour', '--base-port', String(base), '--auth-port', String(auth));
    expect(await ended).toBe(1);
    expect(output()).toContain(
      `kontoport start: the ports ${base} (base), ${auth} (auth) are taken by another program. Choose others, for example: npm start -- --base-port ${base + 1_000} --auth-port ${auth + 1_000} (or BASE_PORT, AUTH_PORT)\n`,
    );
    for (const other of others) other.close();
  });
});
