import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { freePorts } from '@kontoport/embedded/port';
import { readableLine } from '../src/log-line.ts';
import { createProgress } from '../src/progress.ts';
import { serviceEnvironments } from '../src/service-environment.ts';
import { type ServiceName, type ServicePorts, SERVICES, type Surroundings } from '../src/services.ts';
import { lastLines, openTail } from '../src/tail.ts';

describe('environment of the services', () => {
  const ports = Object.fromEntries(
    SERVICES.map((name, at) => [name, { http: 1000 + at, grpc: 2000 + at, ops: 3000 + at, user: 4000 + at }]),
  ) as Record<ServiceName, ServicePorts>;
  const around: Surroundings = {
    environment: 'sandbox',
    ports,
    databases: { registration: 'postgres://x/registration' },
    databaseTls: { DATABASE_TLS_CA: '/ca.pem' },
    kafka: (service) => ({ KAFKA_BROKERS: 'a:1,b:2', KAFKA_SASL_USERNAME: service }),
    trustAnchors: '/anchors',
    publicUrls: 'https://localhost:1,https://localhost:2,https://localhost:3,https://localhost:4',
    authUrl: 'https://localhost:3',
    userUrl: 'https://localhost:4',
    secrets: { secretsKey: 'KEY', clientSecretPepper: 'PEPPER' },
    edgeSecret: 'EDGE',
  };

  it('gives each secret to the services that need it', () => {
    const environments = serviceEnvironments(around, {});
    expect(environments.registration).toMatchObject({
      DATABASE_URL: 'postgres://x/registration',
      DATABASE_TLS_CA: '/ca.pem',
      CLIENT_SECRET_PEPPER: 'PEPPER',
      HTTP_PORT: '1000',
      GRPC_PORT: '2000',
      OPS_PORT: '3000',
      TOKEN_ISSUER: 'https://localhost:3',
      PUBLIC_URLS: 'https://localhost:1,https://localhost:2,https://localhost:3,https://localhost:4',
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

  it('sets nothing of the sandbox in production, and gives auth and payments the address of the bank', () => {
    const environments = serviceEnvironments({ ...around, environment: 'production', bank: 'bank:1' }, {});
    for (const name of SERVICES) {
      expect(environments[name].ENVIRONMENT).toBe('production');
      expect(environments[name]).not.toHaveProperty('REVOCATION_LOOPBACK');
      expect(environments[name]).not.toHaveProperty('CALLBACK_LOOPBACK');
    }
    expect(SERVICES.filter((name) => environments[name].BANK_GRPC === 'bank:1')).toEqual([
      'auth',
      'payments',
    ]);
    const sandbox = serviceEnvironments(around, {});
    expect(SERVICES.filter((name) => 'BANK_GRPC' in sandbox[name])).toEqual([]);
    expect(SERVICES.filter((name) => sandbox[name].REVOCATION_LOOPBACK !== 'true')).toEqual([]);
  });

  it('passes the documented variables on, and no others', () => {
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

describe('free ports', () => {
  it('are different and those of outgoing connections', async () => {
    const ports = await freePorts(15);
    expect(new Set(ports).size).toBe(15);
    expect(Math.max(...ports)).toBeLessThan(32_768);
  });
});

describe('progress', () => {
  it('has one plain line per step, and marks failed ones', async () => {
    const output = new PassThrough();
    const progress = createProgress(output as unknown as NodeJS.WriteStream, {});
    await progress.step('good', async (note) => note('as planned'));
    await progress.step('bad', () => Promise.reject(new Error('no'))).catch(() => undefined);
    output.end();
    const lines = (await text(output)).split('\n');
    expect(lines[0]).toMatch(/^✓ good {2}as planned {2}0\.\d s$/);
    expect(lines[1]).toMatch(/^✗ bad {2}0\.\d s$/);
  });

  it.each([
    [{}, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ TERM: 'dumb' }, true, false],
  ])('with %j, on a terminal: %s, has colours: %s', (env, isTTY, colours) => {
    const output = Object.assign(new PassThrough(), { isTTY });
    const { style } = createProgress(output as unknown as NodeJS.WriteStream, env);
    expect(style('red', 'x')).toBe(colours ? '\u001b[31mx\u001b[39m' : 'x');
  });
});

describe('a formatted log line', () => {
  const style = (_: unknown, words: string): string => words;
  const line = (fields: object | string, service?: string): string =>
    readableLine(typeof fields === 'string' ? fields : JSON.stringify(fields), {
      style,
      ...(service === undefined ? {} : { service }),
    }).text;
  const head = { level: 'info', time: '2026-11-21T10:00:01.234Z', service: 'auth' };

  it('has time, level and message first, then the fields', () => {
    expect(line({ ...head, status: 200, route: '/a b', traceId: 't', spanId: 's', msg: 'answered' })).toBe(
      '10:00:01.234 info  answered status=200 route="/a b" traceId=t',
    );
    expect(line({ ...head, msg: 'x' }, 'auth')).toBe('10:00:01.234 info  auth x');
  });

  it('shows an error in words, with its call sites beneath', () => {
    const err = { name: 'Error', code: 'ECONNREFUSED', message: 'no', at: 'at a (x.ts:1)\nat b (y.ts:2)' };
    expect(line({ ...head, level: 'error', err, msg: 'failed' }).split('\n')).toEqual([
      '10:00:01.234 error failed err=Error ECONNREFUSED: no',
      '    at a (x.ts:1)',
      '    at b (y.ts:2)',
    ]);
  });

  it.each(['not JSON', '{"a":1}', 'null', '7'])('%s stays as it is', (raw) => {
    expect(line(raw)).toBe(raw);
  });
});

describe('the tail of a log', () => {
  let file: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'kontoport-tail-')), 'a.log');
  });
  afterEach(() => rmSync(dirname(file), { recursive: true }));

  it('has the last lines, then new whole lines', () => {
    writeFileSync(file, 'a\nb\nc\n');
    const tail = openTail(file, 2);
    expect(tail.read()).toEqual(['b', 'c']);
    expect(tail.read()).toEqual([]);
    appendFileSync(file, 'd\nhal');
    expect(tail.read()).toEqual(['d']);
    appendFileSync(file, 'f\n');
    expect(tail.read()).toEqual(['half']);
  });

  it('begins again with a new or truncated file', () => {
    const tail = openTail(file, 2);
    expect(tail.read()).toEqual([]);
    writeFileSync(file, 'first one\n');
    expect(tail.read()).toEqual(['first one']);
    writeFileSync(file, 'new\n');
    expect(tail.read()).toEqual(['new']);
  });

  it('leaves out a line that begins before it', () => {
    writeFileSync(file, `${'x'.repeat(70_000)}\nlast`);
    expect(lastLines(file, 5)).toEqual(['last']);
  });
});
