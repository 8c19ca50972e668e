import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { guardProcess } from '@kontoport/embedded/guard';
import { freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import { type TestCa, testCa, type TestQwac, testQwac } from '@kontoport/testing/qwac';
import { missingTools } from '../src/tools.ts';
import { additionOf, type Example, type KubernetesObject, objectOf, podOf, render } from './chart.ts';

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const HAPROXY = FOLDERS.map((folder) => join(folder, 'haproxy')).find((file) => existsSync(file));
const missing = HAPROXY === undefined ? 'no HAProxy: install haproxy' : missingTools();
const ENV = { EDGE_SECRET: '%'.repeat(40), PATH: FOLDERS.join(delimiter) };

/** The fingerprint of the certificate that a port serves. */
async function servedAt(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().fingerprint256;
  } finally {
    socket.destroy();
  }
}

/** The command of the edge's pod, after the kubelet's expansion: `$$` → `$`, `$(NAME)` of a known variable → its value. */
function commandOf(objects: readonly KubernetesObject[]): string[] {
  const { command, args, env } = podOf(objectOf(objects, 'Deployment', 'bank-edge'))!.containers[0]!;
  const values = new Map(env!.map(({ name, value }) => [name, value ?? ENV.EDGE_SECRET]));
  return [...command!, ...args!].map((text) =>
    text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (whole, name?: string) =>
      name === undefined ? '$' : (values.get(name) ?? whole),
    ),
  );
}

async function statusOver(socket: TLSSocket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [head] = (await once(socket, 'data')) as [Buffer];
  return head.toString('latin1').slice(0, 12);
}

describeWith('the pods of an edge', { missing }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-edge-pod-'));
  let ca: TestCa;
  let service: Server;

  /** Replaces a file at once, as the kubelet does. */
  const own = (name: string, text: string): void => {
    const file = join(folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  const certificate = (): Promise<TestQwac> =>
    testQwac({ issuer: ca, organizationName: 'Bank', organizationIdentifier: 'PSDDK-DFSA-1' });
  const give = (name: string, { chainPem, keyPem }: TestQwac): void => {
    own(`${name}.key`, keyPem);
    own(name, chainPem);
  };

  beforeAll(async () => {
    ca = await testCa({ name: 'Edge' });
    for (const name of ['trusted/ca.crt', 'internal/ca.crt']) own(name, ca.certificatePem);
    for (const name of ['server/server.pem', 'internal/client.pem']) give(name, await certificate());
    service = createServer((_request, response) => response.end());
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
  });
  afterAll(() => {
    service.closeAllConnections();
    service.close();
    rmSync(folder, { recursive: true });
  });

  const commandIn = (objects: readonly KubernetesObject[]): string[] =>
    commandOf(objects).map((text) => text.replaceAll('/etc/edge', folder).replace('sleep 10', 'sleep 1'));

  /** The configuration and the command of the pod, with the paths and addresses of this machine. */
  const podIn = async (
    example: Example,
    change: object = {},
  ): Promise<{ recipe: string; command: string[]; port: number }> => {
    const objects = await render(example, change);
    const { port: upstream } = service.address() as AddressInfo;
    const ports = await freePorts(6);
    const [port] = ports;
    const recipe = objectOf(objects, 'ConfigMap', 'bank-edge')
      .data!['haproxy.cfg']!.replaceAll('/etc/edge', folder)
      .replaceAll('unix@/tmp', `unix@${folder}`)
      .replaceAll(/bind \*:\d+(,\[::\]:\d+)?/g, (_, second?: string) => {
        const own = ports.shift();
        return second === undefined ? `bind 127.0.0.1:${own}` : `bind 127.0.0.1:${own},[::1]:${own}`;
      })
      .replaceAll(/server service [a-z-]+:\d+/g, `server service 127.0.0.1:${upstream}`);
    return { recipe, command: commandIn(objects), port: port! };
  };

  it.each([
    ['sandbox', {}],
    ['production', {}],
    ['sandbox', additionOf('dual-stack')],
  ] as const)('give HAProxy a configuration without a warning: %s %j', async (example, change) => {
    own('recipe/haproxy.cfg', (await podIn(example, change)).recipe);
    const { status, stderr } = spawnSync(HAPROXY!, ['-c', '-f', join(folder, 'recipe/haproxy.cfg')], {
      encoding: 'utf8',
      env: ENV,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  describe('with HAProxy', () => {
    let pod: ChildProcess;
    let port: number;
    let guard: { release: () => void };
    let log = '';

    beforeAll(async () => {
      const { recipe, command, port: base } = await podIn('sandbox');
      port = base;
      own('recipe/haproxy.cfg', recipe);
      pod = spawn(command[0]!, command.slice(1), {
        env: ENV,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      pod.stderr!.on('data', (text: Buffer) => (log += text.toString()));
      guard = guardProcess({ pid: pod.pid!, signal: 'KILL' });
      await until(() => servedAt(port), { what: 'HAProxy' });
    });
    afterAll(async () => {
      const ended = once(pod, 'close');
      process.kill(-pod.pid!, 'SIGKILL');
      await ended;
      guard.release();
    });

    it('serve a renewed certificate without a restart, and lose no connection', async () => {
      const before = await servedAt(port);
      const open = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(open, 'secureConnect');
      expect(await statusOver(open)).toBe('HTTP/1.1 200');
      const renewed = await certificate();
      give('server/server.pem', renewed);
      await until(async () => (await servedAt(port)) !== before, { what: 'the renewed certificate' });
      expect(await statusOver(open)).toBe('HTTP/1.1 200');
      open.destroy();
      expect(pod.exitCode).toBeNull();
    });

    it('keep the last good certificate while the files do not fit together', async () => {
      const before = await servedAt(port);
      own('server/server.pem.key', (await certificate()).keyPem);
      await until(() => log.includes('inconsistencies between private key and certificate'), {
        what: 'the reload that fails',
      });
      expect(await servedAt(port)).toBe(before);
      give('server/server.pem', await certificate());
      await until(async () => (await servedAt(port)) !== before, { what: 'the next certificate' });
    });
  });

  it('send SIGHUP to Traefik instead, which then reads its file again', async () => {
    const objects = await render('sandbox', { edge: { type: 'traefik' } });
    const [file, ...args] = commandIn(objects);
    own('bin/traefik', '#!/bin/sh\ntrap "echo reload" HUP\necho "$@"\nwhile :; do sleep 0.1; done\n');
    chmodSync(join(folder, 'bin/traefik'), 0o755);
    const pod = spawn(file!, args, {
      env: { PATH: `${join(folder, 'bin')}:${ENV.PATH}` },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const guard = guardProcess({ pid: pod.pid!, signal: 'KILL' });
    const ended = once(pod, 'close');
    let log = '';
    pod.stdout.on('data', (text: Buffer) => (log += text.toString()));
    try {
      await until(() => log.includes(`--providers.file.filename=${folder}/recipe/traefik.yaml`), {
        what: 'Traefik',
      });
      expect(log).not.toContain('reload');
      give('server/server.pem', await certificate());
      await until(() => log.includes('reload'), { what: 'SIGHUP' });
    } finally {
      process.kill(-pod.pid!, 'SIGKILL');
      await ended;
      guard.release();
    }
  });
});
