import { type CollectorSettings, readCollector } from './collector-settings.ts';
import { TracingVariables } from './tracing-variables.ts';

/** Variables by what follows OTEL_EXPORTER_OTLP_; a collector is named unless they do. */
function read(given: Record<string, string>): CollectorSettings & { faults: string[] } {
  const env = { ENDPOINT: 'http://collector:4318', ...given };
  const variables = new TracingVariables(
    Object.fromEntries(Object.entries(env).map(([name, text]) => [`OTEL_EXPORTER_OTLP_${name}`, text])),
  );
  return { ...readCollector(variables)!, faults: variables.faults };
}

describe('where spans are sent', () => {
  it.each([
    ['http://collector:4318', 'http://collector:4318/v1/traces'],
    ['https://collector/', 'https://collector/v1/traces'],
    [' http://collector:4318/otlp ', 'http://collector:4318/otlp/v1/traces'],
  ])('is below the address for all that is collected: %s', (text, url) => {
    const settings = read({ ENDPOINT: text });
    expect([settings.url.href, settings.faults]).toEqual([url, []]);
  });

  it('is the address for traces as it is, which goes first', () => {
    expect(read({ TRACES_ENDPOINT: 'http://traces:4318/here?a=b' }).url.href).toBe(
      'http://traces:4318/here?a=b',
    );
  });

  it('is nowhere without one of them', () => {
    expect(readCollector(new TracingVariables({ OTEL_EXPORTER_OTLP_TIMEOUT: '5' }))).toBeUndefined();
  });

  it.each([
    'collector:4318',
    'http//collector',
    'ftp://collector',
    'collector',
    'http://name@collector',
    'http://:secret@collector',
  ])('is no %s: the other one counts', (text) => {
    const { url, faults } = read({ TRACES_ENDPOINT: text });
    expect(url.href).toBe('http://collector:4318/v1/traces');
    expect(faults).toEqual([
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: an http or https URL without user name and password',
    ]);
  });

  it('is nowhere where neither can be used, and both are told', () => {
    const variables = new TracingVariables({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'x',
    });
    expect(readCollector(variables)).toBeUndefined();
    expect(variables.faults).toEqual([
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: an http or https URL without user name and password',
      'OTEL_EXPORTER_OTLP_ENDPOINT: an http or https URL without user name and password',
    ]);
  });
});

describe('how spans are sent', () => {
  it('is as protobuf, as they are, within ten seconds, unless it is said', () => {
    expect(read({})).toEqual({
      url: expect.any(URL),
      protocol: 'http/protobuf',
      headers: [],
      isPacked: false,
      limitMs: 10_000,
      tls: undefined,
      faults: [],
    });
  });

  it.each([
    [{ PROTOCOL: 'http/json' }, 'http/json', []],
    [{ TRACES_PROTOCOL: 'http/json', PROTOCOL: 'grpc' }, 'http/json', []],
    [{ TRACES_PROTOCOL: '', PROTOCOL: ' http/json ' }, 'http/json', []],
    [
      { TRACES_PROTOCOL: 'grpc', PROTOCOL: 'http/json' },
      'http/json',
      ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: http/protobuf, http/json'],
    ],
    [{ PROTOCOL: 'grpc' }, 'http/protobuf', ['OTEL_EXPORTER_OTLP_PROTOCOL: http/protobuf, http/json']],
  ])('has the form of %j: %s', (given, protocol, faults) => {
    expect(read(given)).toMatchObject({ protocol, faults });
  });

  it.each([
    ['gzip', true, []],
    ['none', false, []],
    ['br', false, ['OTEL_EXPORTER_OTLP_COMPRESSION: none, gzip']],
  ])('is packed as %s says: %s', (text, isPacked, faults) => {
    expect(read({ COMPRESSION: text })).toMatchObject({ isPacked, faults });
  });

  it.each([
    [{ TIMEOUT: '1' }, 1, []],
    [{ TIMEOUT: '1', TRACES_TIMEOUT: '2147483647' }, 2_147_483_647, []],
    [{ TIMEOUT: '0' }, 10_000, ['OTEL_EXPORTER_OTLP_TIMEOUT: a whole number from 1 to 2147483647']],
  ])('takes as long at most as %j says: %i ms', (given, limitMs, faults) => {
    expect(read(given)).toMatchObject({ limitMs, faults });
  });
});

describe('headers', () => {
  it.each([
    ['x-key=one,x-other=two', ['x-key', 'one', 'x-other', 'two']],
    [' X-Key = one , ', ['x-key', 'one']],
    ['authorization=Basic%20eD15,x=a=b;c', ['authorization', 'Basic eD15', 'x', 'a=b;c']],
    ['x=', ['x', '']],
  ])('are pairs, with what stands for other characters: %s', (text, headers) => {
    expect(read({ HEADERS: text })).toMatchObject({ headers, faults: [] });
  });

  it('of traces go before those of all that is collected, by their names', () => {
    const { headers } = read({ HEADERS: 'x-key=one,x-other=two', TRACES_HEADERS: 'X-Key=three' });
    expect(headers).toEqual(['x-key', 'three', 'x-other', 'two']);
  });

  it.each([
    'secret',
    'x=1,secret',
    '=secret',
    'x y=secret',
    'x=secret%0d%0ay: z',
    'x=secret%',
    'x=secret%E2%82%AC',
    'host=secret',
    'Content-Length=secret',
    'content-type=secret',
    'connection=secret',
    'transfer-encoding=secret',
    'user-agent=secret',
  ])('are passed over, and none is quoted, with %s', (text) => {
    expect(read({ TRACES_HEADERS: text, HEADERS: 'x-key=one' })).toMatchObject({
      headers: ['x-key', 'one'],
      faults: [
        'OTEL_EXPORTER_OTLP_TRACES_HEADERS: name=value, separated by commas, of headers that may be given',
      ],
    });
  });
});
