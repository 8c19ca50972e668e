import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { freePorts } from '@kontoport/embedded/port';
import { readableLine } from '../src/log-line.ts';
import { createProgress } from '../src/progress.ts';
import { serviceEnvironments } from '../src/service-environment.ts';
import { type ServiceName, type ServicePorts, SERVICES, type Surroundings } from '../src/services.ts';
import { lastLines, openTail } from '../src/tail.ts';
import { untilSilent } from '../src/until-silent.ts';

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
    authUrl: 'https://localhost:3',
    userUrl: 'https://localhost:4',
    secrets: { secretsKey: 'KEY', clientSecretPepper: 'PEPPER' },
    edgeSecret: 'EDGE',
  };

  it('gives each service what it needs, and secrets to nobody else', () => {
    const environments = serviceEnvironments(around, {});
    expect(environments.registration).toMatchObject({
      DATABASE_URL: 'postgres://x/registration',
      DATABASE_TLS_CA: '/ca.pem',
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

  it('leaves nothing of the sandbox to production, and tells auth and payments where the bank is', () => {
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

describe('a supervisor without a free file descriptor', () => {
  it('does not take that for the death of a backing service, and notices one afterwards', () => {
    const script = join(import.meta.dirname, 'out-of-descriptors.ts');
    const limited = 'ulimit -n 60 && exec "$0" --disable-warning=ExperimentalWarning "$1"';
    const told = execFileSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
    expect(JSON.parse(told)).toEqual({ code: 'EMFILE', without: false, afterwards: true });
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

  it.each([
    [{ NO_COLOR: '1' }, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [{ CI: 'true', FORCE_COLOR: '0' }, false],
    [{ TERM: 'dumb' }, false],
    [{ CI: 'true', FORCE_COLOR: '1' }, true],
  ])('rewrites nothing on a terminal with %j; colours it: %s', async (env, colours) => {
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const progress = createProgress(output as unknown as NodeJS.WriteStream, env);
    await progress.step('good', async () => undefined);
    output.end();
    const said = await text(output);
    expect(said).not.toContain('\u001b[0J');
    expect(said.includes('\u001b')).toBe(colours);
  });

  it('colours what no terminal shows when FORCE_COLOR says so', async () => {
    const output = new PassThrough();
    const progress = createProgress(output as unknown as NodeJS.WriteStream, { FORCE_COLOR: '1' });
    expect(progress.style('red', 'x')).toBe('\u001b[31mx\u001b[39m');
  });

  it('cuts nothing inside a word on a narrow terminal', async () => {
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 30 });
    const progress = createProgress(output as unknown as NodeJS.WriteStream, {});
    const words = ['PostgreSQL', 'embedded,', 'migrating', 'everything', 'there', 'is'];
    await progress.step(words[0]!, async (note) => note(words.slice(1).join(' ')));
    output.end();
    const lines = stripVTControlCharacters(await text(output)).split('\n');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(30);
      for (const word of line.replace(/…$/, '').split(/ +/))
        expect(word === '' || words.includes(word) || /^[✓⠋]$|^0\.\ds?$|^s$/.test(word)).toBe(true);
    }
  });
});

describe('a line of the log for a person', () => {
  const style = (_: unknown, words: string): string => words;
  const line = (fields: object | string, service?: string): string =>
    readableLine(typeof fields === 'string' ? fields : JSON.stringify(fields), {
      style,
      ...(service === undefined ? {} : { service }),
    }).text;
  const head = { level: 'info', time: '2026-11-21T10:00:01.234Z', service: 'auth' };

  it('begins with time, level and words, and goes on with the facts', () => {
    expect(line({ ...head, status: 200, route: '/a b', traceId: 't', spanId: 's', msg: 'answered' })).toBe(
      '10:00:01.234 info  answered status=200 route="/a b" traceId=t',
    );
    expect(line({ ...head, msg: 'x' }, 'auth')).toBe('10:00:01.234 info  auth x');
  });

  it('tells an error in words, its call sites beneath', () => {
    const err = { name: 'Error', code: 'ECONNREFUSED', message: 'no', at: 'at a (x.ts:1)\nat b (y.ts:2)' };
    expect(line({ ...head, level: 'error', err, msg: 'failed' }).split('\n')).toEqual([
      '10:00:01.234 error failed err=Error ECONNREFUSED: no',
      '    at a (x.ts:1)',
      '    at b (y.ts:2)',
    ]);
  });

  it.each(['not JSON', '{"a":1}', 'null', '7'])('leaves %s as it is', (raw) => {
    expect(line(raw)).toBe(raw);
  });
});

describe('the end of a log', () => {
  let file: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'kontoport-tail-')), 'a.log');
  });
  afterEach(() => rmSync(dirname(file), { recursive: true }));

  it('is its last lines, and then what comes, in whole lines', () => {
    writeFileSync(file, 'a\nb\nc\n');
    const tail = openTail(file, 2);
    expect(tail.read()).toEqual(['b', 'c']);
    expect(tail.read()).toEqual([]);
    appendFileSync(file, 'd\nhal');
    expect(tail.read()).toEqual(['d']);
    appendFileSync(file, 'f\n');
    expect(tail.read()).toEqual(['half']);
  });

  it('begins anew with a file that was begun anew, or comes later', () => {
    const tail = openTail(file, 2);
    expect(tail.read()).toEqual([]);
    writeFileSync(file, 'first one\n');
    expect(tail.read()).toEqual(['first one']);
    writeFileSync(file, 'new\n');
    expect(tail.read()).toEqual(['new']);
  });

  it('leaves out the line that the cut goes through', () => {
    writeFileSync(file, `${'x'.repeat(70_000)}\nlast`);
    expect(lastLines(file, 5)).toEqual(['last']);
  });
});
