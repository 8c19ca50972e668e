import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describePaymentLogs, readLogs } from './payment-logs.ts';

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes?: Attribute[];
  links?: { traceId: string; spanId: string }[];
}

interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
}

const text = (attributes: readonly Attribute[] | undefined, key: string): string | undefined =>
  attributes?.find((attribute) => attribute.key === key)?.value.stringValue;

/** Runs the tour of a new stack. @returns its log, and every exported span with its service */
async function runTour() {
  const received: { service: string; span: Span }[] = [];
  const raw: string[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      raw.push(body);
      if (request.url === '/v1/traces')
        for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans)
          for (const span of scopeSpans.flatMap(({ spans }) => spans))
            received.push({ service: text(resource.attributes, 'service.name') ?? '', span });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const exporting = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  };
  const data = mkdtempSync(join(tmpdir(), 'kontoport-tracing-'));
  try {
    const ports = ['--base-port', '0', '--registration-port', '0', '--auth-port', '0', '--user-port', '0'];
    const child = spawn(
      process.execPath,
      [
        join(import.meta.dirname, '../../../programs/kontoport/kontoport.mjs'),
        'start',
        '--exit-after-tour',
        '--data',
        data,
        ...ports,
      ],
      {
        env: {
          PATH: process.env.PATH,
          ...exporting,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    const logs = readdirSync(join(data, 'logs')).map((file) =>
      readFileSync(join(data, 'logs', file), 'utf8'),
    );
    return { code, output, received, raw: raw.join('\n'), logs: logs.join('\n'), lines: readLogs(data) };
  } finally {
    collector.close();
    rmSync(data, { recursive: true, force: true });
  }
}

let tour: Awaited<ReturnType<typeof runTour>>;
beforeAll(async () => {
  tour = await runTour();
});

describe('a payment is one trace, from the request of the TPP to its webhook', () => {
  const ofService = (name: string, traceId: string): Span[] =>
    tour.received
      .filter(({ service, span }) => service === name && span.traceId === traceId)
      .map(({ span }) => span);

  const approval = (): Span => {
    const found = tour.received.find(
      ({ service, span }) =>
        service === 'payments' &&
        span.parentSpanId === undefined &&
        [text(span.attributes, 'url.path'), text(span.attributes, 'http.target')].some((path) =>
          path?.endsWith('/approve'),
        ),
    );
    if (!found) throw new Error('no trace begins with the approval');
    return found.span;
  };

  it('completes the tour with tracing on', () => {
    expect([tour.code, tour.output.slice(-2_000)]).toEqual([0, expect.any(String)]);
  });

  it('connects approval, posting, event and webhook attempt', () => {
    const { traceId } = approval();
    expect(ofService('account-information', traceId).map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/LedgerService\/Post/)]),
    );
    const attempt = ofService('webhook-dispatcher', traceId);
    expect(attempt.map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/deliver|webhook/i)]),
    );
  });

  it('links the batch of the consumer to the posting', () => {
    const { traceId } = approval();
    const linked = tour.received.filter(
      ({ service, span }) =>
        service === 'webhook-dispatcher' && span.links?.some((link) => link.traceId === traceId),
    );
    expect(linked.length).toBeGreaterThan(0);
  });

  it('has no span of a poll', () => {
    const polls =
      /outbox-(any|lock|read|age)|claim-due|read-changes|waiting-queues|take-replay|ListMovedClocks|\/Watch/;
    expect(tour.received.map(({ span }) => span.name).filter((name) => polls.test(name))).toEqual([]);
    expect(
      tour.received.filter(({ span }) => span.name.startsWith('pg.query') && !span.parentSpanId),
    ).toEqual([]);
  });

  it('writes the trace id into the log lines of its requests', () => {
    expect(tour.logs).toContain(`"traceId":"${approval().traceId}"`);
  });

  it('names paths by their route', () => {
    const served = tour.received.filter(({ span }) => text(span.attributes, 'http.route') !== undefined);
    const paths = served.flatMap(({ span }) => text(span.attributes, 'url.path') ?? []);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/approvals/:approvalId',
        '/tpp/:clientId',
        '/v2/accounts/:accountId/transactions',
      ]),
    );
    for (const { span } of served)
      expect([undefined, text(span.attributes, 'http.route')]).toContain(text(span.attributes, 'url.path'));
  });

  it('shows only the host of an outgoing call', () => {
    const urls = tour.received.flatMap(({ span }) => text(span.attributes, 'url.full') ?? []);
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) expect(url).toMatch(/^https?:\/\/[^/]+$/);
  });

  it('keeps every id of the tour out of names and attributes, the approval link first of all', () => {
    const shown = tour.received
      .flatMap(({ span }) => [
        span.name,
        ...(span.attributes ?? []).map(({ value }) => JSON.stringify(value)),
      ])
      .join('\n');
    const ids = new Set(
      `${tour.logs}\n${tour.output}`.match(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[\w-]{43}/g),
    );
    expect(ids.size).toBeGreaterThan(10);
    expect([...ids].filter((id) => shown.includes(id))).toEqual([]);
    expect(shown).not.toMatch(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}|\/approvals\/[^:]/);
  });

  it('keeps tokens, keys, account numbers and names out of traces and logs', () => {
    const kept = `${tour.raw}\n${tour.logs}`;
    for (const secret of [
      /eyJ[\w-]{20,}/,
      /Bearer /i,
      /Basic [\w+/=]{20,}/i,
      /54790001234567/,
      /Havnens Cykler/,
      /-----BEGIN/,
      /subscriptionKey/,
    ])
      expect(kept).not.toMatch(secret);
  });
});

describePaymentLogs('with tracing on', () => tour.lines);
