import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { freePorts } from '@kontoport/embedded/port';
import { untilSilent } from '../src/backing-services.ts';
import { createProgress } from '../src/progress.ts';
import { serviceEnvironments } from '../src/service-environment.ts';
import { type ServiceName, type ServicePorts, SERVICES, type Surroundings } from '../src/services.ts';

describe('environment of the services', () => {
  const ports = Object.fromEntries(
    SERVICES.map((name, at) => [name, { http: 1000 + at, grpc: 2000 + at, ops: 3000 + at, user: 4000 + at }]),
  ) as Record<ServiceName, ServicePorts>;
  const around: Surroundings = {
    ports,
    databases: { registration: 'postgres://x/registration' },
    brokers: ['a:1', 'b:2'],
    trustAnchors: '/anchors',
    authUrl: 'https://localhost:3',
    userUrl: 'https://localhost:4',
    secrets: { secretsKey: 'KEY', clientSecretPepper: 'PEPPER' },
    edgeSecret: 'EDGE',
  };

  it('gives each service what it needs, and secrets to nobody else', () => {
    const environments = serviceEnvironments(around, {});
    expect(environments.registration).toMatchObject({
      DATABASE_URL: 'postgres://x/registration',
      CLIENT_SECRET_PEPPER: 'PEPPER',
      HTTP_PORT: '1000',
      GRPC_PORT: '2000',
      OPS_PORT: '3000',
      TOKEN_ISSUER: 'https://localhost:3',
    });
    expect(environments.auth).toMatchObject({ HTTP_PORT: '1001', USER_PORT: '4001' });
    expect(environments.payments).not.toHaveProperty('DATABASE_URL');
    expect(environments.payments).toMatchObject({
      ACCOUNTS_GRPC: '127.0.0.1:2002',
      USER_URL: 'https://localhost:4',
    });
    expect(environments['webhook-dispatcher']).toMatchObject({
      KAFKA_BROKERS: 'a:1,b:2',
      CALLBACK_LOOPBACK: 'true',
    });
    const holders = (secret: string): string[] =>
      SERVICES.filter((name) => Object.values(environments[name]).includes(secret));
    expect(holders('PEPPER')).toEqual(['registration']);
    expect(holders('KEY')).toEqual(['auth', 'account-information', 'webhook-dispatcher']);
  });

  it('passes on what a person may set, and nothing of the shell beyond that', () => {
    const { auth } = serviceEnvironments(around, {
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      DATABASE_URL: 'postgres://mine',
      AWS_SECRET_ACCESS_KEY: 'x',
      PORT: '1',
    });
    expect(auth).toMatchObject({ LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' });
    for (const name of ['DATABASE_URL', 'AWS_SECRET_ACCESS_KEY', 'PORT'])
      expect(auth).not.toHaveProperty(name);
  });
});

describe('ports and listeners', () => {
  it('finds different free ports below those of outgoing connections', async () => {
    const ports = await freePorts(15);
    expect(new Set(ports).size).toBe(15);
    expect(Math.max(...ports)).toBeLessThan(32_768);
  });

  it('notices that a backing service does not listen any more', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    let silent = false;
    const watching = untilSilent({ port, every: 5, signal: new AbortController().signal }).then(() => {
      silent = true;
    });
    await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(100) }).catch(() => undefined);
    expect(silent).toBe(false);
    server.closeAllConnections();
    server.close();
    await watching;
    expect(silent).toBe(true);
  });
});

describe('progress without a terminal', () => {
  it('leaves one plain line per step, failed ones marked', async () => {
    const output = new PassThrough();
    const progress = createProgress(output as unknown as NodeJS.WriteStream, {});
    await progress.step('good', async (note) => note('as planned'));
    await progress.step('bad', () => Promise.reject(new Error('no'))).catch(() => undefined);
    output.end();
    const lines = (await text(output)).split('\n');
    expect(lines[0]).toMatch(/^✓ good {2}as planned {2}0\.\d s$/);
    expect(lines[1]).toMatch(/^✗ bad {2}0\.\d s$/);
  });

  it('shows no colour on a terminal when NO_COLOR is set', async () => {
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const progress = createProgress(output as unknown as NodeJS.WriteStream, { NO_COLOR: '1' });
    await progress.step('good', async () => undefined);
    output.end();
    expect(await text(output)).not.toContain('\u001b');
  });
});
