import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { kontoport } from '@kontoport/testing/kontoport';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const { data, start } = useStack();
const before = process.env.REVOCATION;
beforeAll(() => {
  process.env.REVOCATION = 'hard-fail';
});
afterAll(() => {
  if (before === undefined) delete process.env.REVOCATION;
  else process.env.REVOCATION = before;
});

/** GET /accounts over mutual TLS, without a token: what the door says of the certificate alone. */
async function knock({ baseUrl, serverCa }: StackFile, folder: string): Promise<string> {
  const outgoing = request(`${baseUrl}/accounts`, {
    ca: readFileSync(serverCa),
    cert: readFileSync(join(folder, 'chain.pem')),
    key: readFileSync(join(folder, 'key.pem')),
    agent: false,
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { errorCode } = JSON.parse(await text(response)) as { errorCode: string };
  return `${response.statusCode} ${errorCode}`;
}

async function mint(name: string): Promise<string> {
  const folder = join(data(), name);
  const minted = await kontoport(['qwac', 'mint', '--data', data(), '--name', name, '--out', folder]);
  expect(minted.status).toBe(0);
  return folder;
}

describe('revocation in the sandbox, with REVOCATION=hard-fail (§5.1)', () => {
  it(
    'lets the tour and minted certificates pass, refuses a revoked one within seconds, and after a kill and a restart at once',
    async () => {
      const first = start();
      const stack = await first.ready();
      await until(() => first.output().includes('The stack stays up'), {
        timeout: LIMIT_MS,
        what: 'the end of the tour',
      });
      expect(first.output()).not.toContain('The tour failed');

      const [mine, neighbour] = [await mint('mine'), await mint('neighbour')];
      for (const folder of [mine, neighbour]) expect(await knock(stack, folder)).toBe('401 TOKEN_MISSING');
      const revoked = await kontoport(['qwac', 'revoke', '--data', data(), join(mine, 'chain.pem')]);
      expect(revoked).toMatchObject({ status: 0, stderr: '' });
      await until(async () => (await knock(stack, mine)) === '401 CERTIFICATE_REVOKED', {
        timeout: 30_000,
        what: 'the door to know',
      });
      expect(await knock(stack, neighbour)).toBe('401 TOKEN_MISSING');

      first.child.kill('SIGKILL');
      await first.ended;
      await until(() => !existsSync(join(data(), 'stack.json')), { what: 'all of it to be gone' });
      const again = await start('--no-tour').ready();
      expect(again.issuingCa.sources).toEqual(stack.issuingCa.sources);
      expect(await knock(again, mine)).toBe('401 CERTIFICATE_REVOKED');
      expect(await knock(again, neighbour)).toBe('401 TOKEN_MISSING');
    },
    3 * LIMIT_MS,
  );
});
