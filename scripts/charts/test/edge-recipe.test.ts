import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import { missingTools } from '../src/tools.ts';
import { type Example, objectOf, render } from './chart.ts';

const HAPROXY = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  .map((folder) => join(folder, 'haproxy'))
  .find((file) => existsSync(file));
const missing = HAPROXY === undefined ? 'no HAProxy: install haproxy' : missingTools();

describeWith('the recipe that pods of the edge run', { missing }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-edge-pod-'));
  const own = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };

  beforeAll(async () => {
    const ca = await testCa({ name: 'Edge' });
    const { chainPem, keyPem } = await testQwac({
      issuer: ca,
      organizationName: 'Bank',
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    for (const name of ['trusted/ca.crt', 'internal/ca.crt']) own(name, ca.certificatePem);
    for (const name of ['server/server.pem', 'internal/client.pem']) {
      own(name, chainPem);
      own(`${name}.key`, keyPem);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What HAProxy says of it, as the pod would have it, but for the names of services, which nobody resolves here. */
  const judge = async (
    example: Example,
    change: (recipe: string) => string = (same) => same,
  ): Promise<unknown> => {
    const recipe = objectOf(await render(example), 'ConfigMap', 'bank-edge').data!['haproxy.cfg']!;
    const here = recipe
      .replaceAll('/etc/edge', folder)
      .replaceAll(/server service [a-z-]+:/g, 'server service 127.0.0.1:');
    own('haproxy.cfg', change(here));
    const { status, stderr } = spawnSync(HAPROXY!, ['-c', '-f', join(folder, 'haproxy.cfg')], {
      encoding: 'utf8',
      env: { EDGE_SECRET: '%'.repeat(40) },
    });
    return { status, stderr };
  };

  it('is one that HAProxy takes without a warning', async () => {
    expect(await judge('sandbox')).toEqual({ status: 0, stderr: '' });
  });

  it('shows the services a certificate of its own, where they demand one', async () => {
    expect(await judge('production')).toEqual({ status: 0, stderr: '' });
  });

  it('is read to the end', async () => {
    const said = await judge('production', (recipe) => recipe.replace(/verifyhost \S+/, 'verifyhosts x'));
    expect(said).toMatchObject({ status: 1, stderr: expect.stringContaining('verifyhosts') as string });
  });
});
