import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTracing } from './tracing-settings.ts';

const SAMPLERS =
  'always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio';

describe('the variables of tracing', () => {
  it('may all be absent or empty: everything that begins here is recorded, and the caller is followed', () => {
    const expected = {
      sampling: { followsCaller: true, share: 1 },
      protocol: 'http/protobuf',
      tls: {},
      batches: {},
      faults: [],
    };
    expect(readTracing({})).toEqual(expected);
    expect(
      readTracing({ OTEL_TRACES_SAMPLER: '', OTEL_EXPORTER_OTLP_PROTOCOL: ' ', OTEL_BSP_SCHEDULE_DELAY: '' }),
    ).toEqual(expected);
  });

  it.each([
    ['always_on', undefined, false, 1],
    ['always_on', 'much', false, 1],
    ['always_off', undefined, false, 0],
    ['traceidratio', '0.5', false, 0.5],
    ['parentbased_always_on', undefined, true, 1],
    ['parentbased_always_off', '1', true, 0],
    ['parentbased_traceidratio', '0.25', true, 0.25],
    ['parentbased_traceidratio', '0', true, 0],
    ['parentbased_traceidratio', '1', true, 1],
  ])(
    'OTEL_TRACES_SAMPLER=%s with %s: follows the caller %s, share %s',
    (name, argument, followsCaller, share) => {
      const { sampling, faults } = readTracing({
        OTEL_TRACES_SAMPLER: name,
        OTEL_TRACES_SAMPLER_ARG: argument,
      });
      expect([sampling, faults]).toEqual([{ followsCaller, share }, []]);
    },
  );

  it.each([
    ['traceidratio', undefined],
    ['parentbased_traceidratio', ''],
    ['parentbased_traceidratio', '1.1'],
    ['parentbased_traceidratio', '-0.1'],
    ['parentbased_traceidratio', '10%'],
  ])('OTEL_TRACES_SAMPLER=%s with %s says no share: all is recorded', (name, argument) => {
    const { sampling, faults } = readTracing({
      OTEL_TRACES_SAMPLER: name,
      OTEL_TRACES_SAMPLER_ARG: argument,
    });
    expect(sampling.share).toBe(1);
    expect(faults).toEqual(['OTEL_TRACES_SAMPLER_ARG: a number from 0 to 1']);
  });

  it.each(['jaeger_remote', 'constructor'])('knows no sampler %s, and does without', (name) => {
    const { sampling, faults } = readTracing({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0' });
    expect(sampling).toEqual({ followsCaller: true, share: 1 });
    expect(faults).toEqual([`OTEL_TRACES_SAMPLER: ${SAMPLERS}`]);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json', []],
    [
      { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'http/json',
      [],
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: '', OTEL_EXPORTER_OTLP_PROTOCOL: ' http/json ' }, 'http/json', []],
    [
      { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      'http/protobuf',
      ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: http/protobuf, http/json'],
    ],
  ])('%j: %s', (env, protocol, faults) => {
    expect(readTracing(env)).toMatchObject({ protocol, faults });
  });

  it('say how spans are sent together', () => {
    const { batches, faults } = readTracing({
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_BSP_EXPORT_TIMEOUT: '2',
      OTEL_BSP_MAX_QUEUE_SIZE: '3',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
    });
    expect([batches, faults]).toEqual([
      { scheduledDelayMillis: 1, exportTimeoutMillis: 2, maxQueueSize: 3, maxExportBatchSize: 4 },
      [],
    ]);
  });

  it.each(['0', '-1', '1.5', '5s', '2147483648'])('take no number of %s', (text) => {
    const { batches, faults } = readTracing({
      OTEL_BSP_SCHEDULE_DELAY: text,
      OTEL_BSP_MAX_QUEUE_SIZE: '3',
    });
    expect([batches, faults]).toEqual([
      { maxQueueSize: 3 },
      ['OTEL_BSP_SCHEDULE_DELAY: a whole number from 1 to 2147483647'],
    ]);
  });

  it('lead to an http or https URL, and are told where they do not', () => {
    expect(readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318' }).faults).toEqual([]);
    expect(
      readTracing({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http//collector/v1/traces',
      }).faults,
    ).toEqual([
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: an http or https URL',
      'OTEL_EXPORTER_OTLP_ENDPOINT: an http or https URL',
    ]);
  });

  it('say how spans are packed', () => {
    const faultsOf = (text: string): string[] => readTracing({ OTEL_EXPORTER_OTLP_COMPRESSION: text }).faults;
    expect(['gzip', 'none', 'br'].map(faultsOf)).toEqual([
      [],
      [],
      ['OTEL_EXPORTER_OTLP_COMPRESSION: none, gzip'],
    ]);
  });

  it('name files of TLS, which are read; those of traces alone go first', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kontoport-tracing-'));
    const fileOf = (text: string): string => {
      writeFileSync(join(folder, text), text);
      return join(folder, text);
    };
    const { tls, faults } = readTracing({
      OTEL_EXPORTER_OTLP_CERTIFICATE: fileOf('ca'),
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: fileOf('cert'),
      OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: fileOf('cert of traces'),
      OTEL_EXPORTER_OTLP_CLIENT_KEY: join(folder, 'none'),
    });
    rmSync(folder, { recursive: true });
    expect(tls).toEqual({ ca: 'ca', cert: 'cert of traces' });
    expect(faults).toEqual(['OTEL_EXPORTER_OTLP_CLIENT_KEY: the file cannot be read (ENOENT)']);
  });
});
