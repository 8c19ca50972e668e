import { readTracing } from './tracing-settings.ts';

const SAMPLERS =
  'always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio';

describe('the variables of tracing', () => {
  it('may all be absent or empty: everything that begins here is recorded, and the caller is followed', () => {
    const expected = {
      sampling: { followsCaller: true, share: 1 },
      collector: undefined,
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

  it('name a collector, and are told of together', () => {
    const { collector, faults } = readTracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'br',
      OTEL_BSP_SCHEDULE_DELAY: '5s',
    });
    expect(collector?.url.host).toBe('collector:4318');
    expect(faults).toEqual([
      'OTEL_EXPORTER_OTLP_COMPRESSION: none, gzip',
      'OTEL_BSP_SCHEDULE_DELAY: a whole number from 1 to 2147483647',
    ]);
  });
});
