import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { until } from '@kontoport/embedded/wait';
import { startCollector } from '@kontoport/testing/collector';
import { readMetrics } from '@kontoport/testing/metrics';
import { tlsFolder } from '@kontoport/testing/tls';
import { diag, type DiagLogger, DiagLogLevel } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import type { CollectorSettings } from '../src/collector-settings.ts';
import { Collector } from '../src/collector.ts';
import { startOpsServer } from '../src/ops-server.ts';
import { KINDS, Span } from '../src/span.ts';
import type { TlsOptions } from '../src/tls-files.ts';

/** Longer than a test may take. */
const LONG_MS = 600_000;
/** Too short to try once more. */
const SHORT_MS = 700;
/** As much as an answer may have, with its head. */
const MOST = 16 * 1024;
const HEAD = 'HTTP/1.1 200 OK\r\n';
const TAKEN = `${HEAD}content-length: 0\r\n\r\n`;
const answerOf = (status: string, body = '', headers = ''): string =>
  `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
const SUCCESS = { code: ExportResultCode.SUCCESS };
const failed = (message: unknown) => ({
  code: ExportResultCode.FAILED,
  error: expect.objectContaining({ message }),
});

const servers: Server[] = [];
const sockets: Socket[] = [];
const collectors: Collector[] = [];
/** What the log says. */
let logged: object[] = [];
const origin = { resource: emptyResource(), instrumentationScope: { name: 'test' }, take: () => {} };
const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
/** One. */
const spans = [new Span(origin, { ids, kind: KINDS.SERVER, name: 'one' })];

afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.shutdown();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  diag.disable();
  logged = [];
});

/**
 * One that collects.
 * @param answer is called for each request, with its number from 0 on
 */
async function listen(answer: (socket: Socket, at: number) => unknown) {
  const heard = { port: 0, connections: 0, requests: 0 };
  const server = createServer((socket) => {
    heard.connections += 1;
    sockets.push(socket.on('error', () => {}));
    socket.on('data', (bytes) => {
      if (bytes.includes('POST ')) answer(socket, heard.requests++);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  heard.port = (server.address() as AddressInfo).port;
  return heard;
}

function collectorAt({ port }: { port: number }, more: Partial<CollectorSettings> = {}): Collector {
  const settings: CollectorSettings = {
    url: new URL(`http://127.0.0.1:${port}/v1/traces`),
    protocol: 'http/json',
    headers: [],
    isPacked: false,
    limitMs: LONG_MS,
    tls: undefined,
    ...more,
  };
  const log = (fields: object, message: string): void => void logged.push({ ...fields, message });
  const collector = new Collector(settings, { error: log, warn: log, info: (message) => log({}, message) });
  collectors.push(collector);
  return collector;
}

const send = (collector: Collector, sent = spans): Promise<ExportResult> =>
  new Promise((resolve) => collector.export(sent, resolve));

describe('what a collector does not take at once', () => {
  it.each([429, 502, 503, 504])('is sent again when it answers %i', async (status) => {
    const heard = await listen((socket, at) => socket.write(at === 0 ? answerOf(`${status} X`) : TAKEN));
    expect(await send(collectorAt(heard))).toEqual(SUCCESS);
    expect(heard.requests).toBe(2);
  });

  it('is sent again when there is no answer', async () => {
    const heard = await listen((socket, at) => (at === 0 ? socket.destroy() : socket.write(TAKEN)));
    expect(await send(collectorAt(heard))).toEqual(SUCCESS);
    expect(heard.requests).toBe(2);
  });

  it.each([300, 400, 401, 413, 500])('is given up when it answers %i', async (status) => {
    const heard = await listen((socket, at) => socket.write(at === 0 ? answerOf(`${status} X`) : TAKEN));
    expect(await send(collectorAt(heard))).toEqual(failed(`the collector answers ${status}`));
    expect(heard.requests).toBe(1);
  });

  it('waits for as long as the collector says', async () => {
    const heard = await listen((socket, at) =>
      socket.write(at === 0 ? answerOf('503 X', '', 'retry-after: 2\r\n') : TAKEN),
    );
    const began = performance.now();
    expect(await send(collectorAt(heard, { limitMs: 3_500 }))).toEqual(SUCCESS);
    expect(performance.now() - began).toBeGreaterThan(1_990);
  });

  it('is given up where that would be too late', async () => {
    const heard = await listen((socket) => socket.write(answerOf('503 X', '', 'retry-after: 9\r\n')));
    expect(await send(collectorAt(heard, { limitMs: 8_000 }))).toEqual(failed('the collector answers 503'));
    expect(heard.requests).toBe(1);
  });

  // After one second, one and a half more, and so on, or up to a fifth less.
  it.each([
    [1_950, 2],
    [3_000, 3],
  ])('is sent again as long as there is time: within %i ms %i times in all', async (limitMs, times) => {
    const heard = await listen((socket) => socket.write(answerOf('503 X')));
    expect(await send(collectorAt(heard, { limitMs }))).toEqual(failed('the collector answers 503'));
    expect(heard.requests).toBe(times);
  });

  it('is given up when the collector is shut down', async () => {
    const heard = await listen((socket) => socket.write(answerOf('503 X', '', 'retry-after: 99\r\n')));
    const collector = collectorAt(heard);
    const sent = send(collector);
    await until(() => heard.requests === 1, { what: 'the first request' });
    await collector.shutdown();
    expect(await sent).toMatchObject({ code: ExportResultCode.FAILED });
  });
});

describe('spans that do not reach the collector', () => {
  const told = (fault: string) => ({ fault, message: 'spans do not reach the collector' });
  const AGAIN = { message: 'spans reach the collector again' };

  it('are told in the log once, and when they do again', async () => {
    const answers = [TAKEN, answerOf('400 X'), answerOf('401 X'), TAKEN, TAKEN, answerOf('413 X')];
    const heard = await listen((socket, at) => socket.write(answers[at]!));
    const collector = collectorAt(heard);
    for (const _ of answers) await send(collector);
    expect(logged).toEqual([told('the collector answers 400'), AGAIN, told('the collector answers 413')]);
  });

  it('are not told where it was shut down', async () => {
    const heard = await listen(() => {});
    const collector = collectorAt(heard);
    const sent = send(collector);
    await until(() => heard.requests === 1, { what: 'the request' });
    await collector.shutdown();
    await sent;
    expect(logged).toEqual([]);
  });

  const counts = async (): Promise<Record<string, number>> => {
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    const { families } = await readMetrics(ops.port);
    await ops.close();
    const { series } = families.get('otel_sdk_exporter_span_exported_total')!;
    return Object.fromEntries(series.map(({ labels, value }) => [labels.error_type ?? 'taken', value]));
  };

  it('are counted from 0 on, before any is sent', async () => {
    collectorAt({ port: 1 });
    expect(Object.keys(await counts()).toSorted()).toEqual(['failed', 'rejected', 'taken']);
  });

  it('that are fewer than none, as a number of 64 bits, are none', async () => {
    const body = Buffer.from([0x0a, 0x0b, 0x08, ...Array.from({ length: 9 }, () => 0xff), 0x01]);
    const head = `${HEAD}content-length: ${body.length}\r\n\r\n`;
    const heard = await listen((socket) => socket.write(Buffer.concat([Buffer.from(head), body])));
    const before = await counts();
    await send(collectorAt(heard, { protocol: 'http/protobuf' }));
    const after = await counts();
    expect([after.taken! - before.taken!, after.rejected! - before.rejected!]).toEqual([1, 0]);
  });

  it('are counted beside those that do', async () => {
    const rejecting = (count: unknown): string =>
      answerOf('200 OK', JSON.stringify({ partialSuccess: { rejectedSpans: count } }));
    const answers = [
      TAKEN,
      answerOf('400 X'),
      rejecting(1),
      rejecting(3),
      // More than there were; and none, whatever it is.
      rejecting(4),
      ...[-5, 'x', 1e30].map(rejecting),
    ];
    const heard = await listen((socket, at) => socket.write(answers[at]!));
    const collector = collectorAt(heard);
    const before = await counts();
    for (const _ of answers) await send(collector, [...spans, ...spans, ...spans]);
    const after = await counts();
    const since = (what: string): number => after[what]! - before[what]!;
    expect([since('taken'), since('failed'), since('rejected')]).toEqual([
      3 + 2 + 0 + 0 + 3 * 3,
      3,
      1 + 3 + 3,
    ]);
  });
});

describe('TLS with a collector', () => {
  it('is by what the files say at each connection, which is told where they are spoilt', async () => {
    const tls = await tlsFolder();
    const collector = await startCollector({
      tls: { ...(await tls.issue('collector', { server: ['localhost'] })), ca: tls.ca },
      keepsConnections: false,
    });
    const optionsOf = async (name: string): Promise<TlsOptions> => {
      const client = await tls.issue(name, 'client');
      const [ca, cert, key] = [tls.ca, client.cert, client.key].map((file) => readFileSync(file, 'utf8'));
      return { rejectUnauthorized: true, minVersion: 'TLSv1.2', ca: ca!, cert: cert!, key: key! };
    };
    let files: TlsOptions | undefined;
    const sender = collectorAt(
      { port: 0 },
      {
        url: new URL(`${collector.url}/v1/traces`),
        limitMs: SHORT_MS,
        tls: (report) => {
          if (files === undefined) throw new Error('there are none');
          report?.('it is spoilt');
          return files;
        },
      },
    );
    expect(await send(sender)).toEqual(failed('the collector: there are none'));
    for (const name of ['one', 'another']) {
      files = await optionsOf(name);
      expect(await send(sender)).toEqual(SUCCESS);
    }
    expect(collector.received.map(({ caller }) => caller)).toEqual(['one', 'another']);
    expect(logged).toContainEqual({
      fault: 'it is spoilt',
      message: 'the last good TLS files for the collector stay',
    });
    await collector.close();
    tls.remove();
  });
});

describe('what is sent at once', () => {
  it('goes over four connections, and the rest after it', async () => {
    let isSilent = true;
    const heard = await listen((socket) => isSilent || socket.write(TAKEN));
    const collector = collectorAt(heard);
    const sent = Array.from({ length: 6 }, () => send(collector));
    await until(() => heard.requests === 4, { what: 'the first ones' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual({ port: heard.port, requests: 4, connections: 4 });
    isSilent = false;
    for (const socket of sockets) socket.write(TAKEN);
    expect(await Promise.all(sent)).toEqual(sent.map(() => SUCCESS));
    expect(heard).toMatchObject({ requests: 6, connections: 4 });
  });
});

describe('the answer of a collector', () => {
  /** Says this again and again, for as long as anybody takes it. */
  const endless =
    (first: string, again: string) =>
    (socket: Socket): void => {
      const say = (): void => {
        while (!socket.destroyed && socket.write(again.repeat(1_000))) continue;
      };
      socket.on('drain', say).write(first);
      say();
    };

  it.each([
    ['interim answers', endless('', 'HTTP/1.1 102 Processing\r\n\r\n')],
    ['headers', endless(HEAD, 'x-y: z\r\n')],
    ['another protocol', (socket: Socket) => socket.write('HTTP/1.1 101 X\r\nupgrade: x\r\n\r\n')],
    ['nothing that is HTTP', (socket: Socket) => socket.write('x\r\n\r\n')],
  ])('is none where it has %s', async (_, answer) => {
    const heard = await listen(answer);
    expect(await send(collectorAt(heard, { limitMs: SHORT_MS }))).toEqual(
      failed(expect.stringMatching(/^the collector: /)),
    );
    expect(heard.requests).toBe(1);
  });

  it('is not waited for longer than for everything', async () => {
    const heard = await listen(() => {});
    expect(await send(collectorAt(heard, { limitMs: 50 }))).toEqual(
      failed('the collector: no answer in time'),
    );
  });

  it.each([
    ['does not end', endless(`${HEAD}content-length: 4000000\r\n\r\n`, 'x')],
    ['comes in chunks of one byte', endless(`${HEAD}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n')],
  ])('ends the connection where its body %s', async (_, answer) => {
    const heard = await listen(answer);
    await send(collectorAt(heard, { limitMs: SHORT_MS }));
    await until(() => sockets.every(({ destroyed }) => destroyed), { what: 'the end of the connection' });
    expect(heard.requests).toBe(1);
  });

  it('ends the connection where it is longer than what is read of it', async () => {
    const heard = await listen((socket) => socket.write(answerOf('200 OK', 'x'.repeat(MOST))));
    const collector = collectorAt(heard, { limitMs: SHORT_MS });
    await send(collector);
    await send(collector);
    expect(heard).toMatchObject({ requests: 2, connections: 2 });
  });

  it('counts as soon as it says that the spans are taken, whatever comes of its body', async () => {
    const heard = await listen((socket) => socket.write(`${HEAD}content-length: 10\r\n\r\nx`));
    expect(await send(collectorAt(heard, { limitMs: 50 }))).toEqual(SUCCESS);
  });

  it('may be as long as what is read of it: the connection is kept, however many went before', async () => {
    const answer = answerOf('200 OK', 'x'.repeat(MOST / 2));
    const heard = await listen((socket) => socket.write(answer));
    const collector = collectorAt(heard);
    for (let at = 0; at < 4; at++) {
      expect(await send(collector)).toEqual(SUCCESS);
      // A connection may be used again a turn of the loop later.
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(heard).toMatchObject({ requests: 4, connections: 1 });
  });

  it.each([
    [
      'tells how much is not taken',
      '{"partialSuccess":{"rejectedSpans":1,"errorMessage":"too\\nold"}}',
      1,
      'too\nold',
    ],
    ['tells no more than that', '{"partialSuccess":{"rejectedSpans":2}}', 2, ''],
    ['says why, though all is taken', '{"partialSuccess":{"errorMessage":"too\\nold"}}', 0, 'too\nold'],
  ])('is told where it %s, as one line', async (_, body, count, why) => {
    const warn = jest.fn<DiagLogger['warn']>();
    const nothing = (): void => {};
    diag.setLogger(
      { warn, error: nothing, info: nothing, debug: nothing, verbose: nothing },
      { logLevel: DiagLogLevel.WARN },
    );
    const heard = await listen((socket) => socket.write(answerOf('200 OK', body)));
    expect(await send(collectorAt(heard))).toEqual(SUCCESS);
    expect(warn.mock.calls).toEqual([[`the collector does not take ${count} spans: ${JSON.stringify(why)}`]]);
  });

  it.each(['{"partialSuccess":{}}', '{}', 'null', '[', ''])('counts with %j', async (body) => {
    const heard = await listen((socket) => socket.write(answerOf('200 OK', body)));
    expect(await send(collectorAt(heard))).toEqual(SUCCESS);
  });
});
