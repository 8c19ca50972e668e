import type { CollectorTls } from './collector-agent.ts';
import { readSmallFile } from './read-file.ts';

/** Which traces are recorded: such a share, of all, or of those that begin here where the caller is followed. */
export interface Sampling {
  followsCaller: boolean;
  share: number;
}

/** What OpenTelemetry's variables say of tracing, but for what the exporter and the resource read themselves. */
export interface TracingSettings {
  sampling: Sampling;
  protocol: 'http/protobuf' | 'http/json';
  tls: CollectorTls;
  /** Absent: the SDK's own. */
  batches: {
    scheduledDelayMillis?: number;
    exportTimeoutMillis?: number;
    maxQueueSize?: number;
    maxExportBatchSize?: number;
  };
  /** `VARIABLE: what is wrong with it`, of each that is passed over. */
  faults: string[];
}

/** By OTEL_TRACES_SAMPLER. Without a share: OTEL_TRACES_SAMPLER_ARG says it. */
const SAMPLERS: ReadonlyMap<string, { followsCaller: boolean; share?: number }> = new Map([
  ['always_on', { followsCaller: false, share: 1 }],
  ['always_off', { followsCaller: false, share: 0 }],
  ['traceidratio', { followsCaller: false }],
  ['parentbased_always_on', { followsCaller: true, share: 1 }],
  ['parentbased_always_off', { followsCaller: true, share: 0 }],
  ['parentbased_traceidratio', { followsCaller: true }],
]);
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const BATCHES = {
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
} as const;
const KINDS = Object.keys(BATCHES) as (keyof typeof BATCHES)[];
/** What a timer of Node takes at most, and more than anybody can want of the others. */
const MOST = 2 ** 31 - 1;
const TLS = { ca: 'CERTIFICATE', cert: 'CLIENT_CERTIFICATE', key: 'CLIENT_KEY' } as const;
const PIECES = Object.keys(TLS) as (keyof typeof TLS)[];
/** What the exporter reads itself, and passes over without a word. */
const OF_EXPORTER = [
  { name: 'ENDPOINT', form: 'an http or https URL', isUsable: isHttp },
  { name: 'COMPRESSION', form: 'none, gzip', isUsable: (text: string) => /^(none|gzip)$/.test(text) },
] as const;

/** Nobody's requests fail for want of traces: a value that cannot be used is passed over, as OpenTelemetry demands, and told. */
export function readTracing(env: NodeJS.ProcessEnv): TracingSettings {
  const faults: string[] = [];
  const given = (name: string): string | undefined => env[name]?.trim() || undefined;
  const passOver = (name: string, fault: string): undefined => void faults.push(`${name}: ${fault}`);

  const readSampling = (): Sampling => {
    const name = given('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
    const sampler = SAMPLERS.get(name) ?? passOver('OTEL_TRACES_SAMPLER', [...SAMPLERS.keys()].join(', '));
    if (sampler === undefined) return { followsCaller: true, share: 1 };
    const { followsCaller, share = readShare() } = sampler;
    return { followsCaller, share };
  };
  const readShare = (): number => {
    const share = Number(given('OTEL_TRACES_SAMPLER_ARG') ?? NaN);
    if (share >= 0 && share <= 1) return share;
    passOver('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1');
    return 1;
  };
  const readProtocol = (): TracingSettings['protocol'] => {
    const name = namesOf('PROTOCOL').find(given);
    if (name === undefined) return PROTOCOLS[0];
    const protocol = PROTOCOLS.find((known) => known === given(name));
    return protocol ?? passOver(name, PROTOCOLS.join(', ')) ?? PROTOCOLS[0];
  };
  const readBatches = (): TracingSettings['batches'] =>
    Object.fromEntries(
      KINDS.flatMap((kind) => {
        const name = BATCHES[kind];
        const text = given(name);
        if (text === undefined) return [];
        const number = Number(text);
        if (Number.isInteger(number) && number > 0 && number <= MOST) return [[kind, number]];
        passOver(name, `a whole number from 1 to ${MOST}`);
        return [];
      }),
    );

  const readTls = (): CollectorTls =>
    Object.fromEntries(
      PIECES.flatMap((piece) => {
        const name = namesOf(TLS[piece]).find(given);
        if (name === undefined) return [];
        try {
          return [[piece, readSmallFile(given(name)!)]];
        } catch (error) {
          passOver(name, (error as Error).message);
          return [];
        }
      }),
    );
  for (const { name, form, isUsable } of OF_EXPORTER)
    for (const each of namesOf(name)) {
      const text = given(each);
      if (text !== undefined && !isUsable(text)) passOver(each, form);
    }

  return {
    sampling: readSampling(),
    protocol: readProtocol(),
    tls: readTls(),
    batches: readBatches(),
    faults,
  };
}

/** The variable of traces alone goes first. */
const namesOf = (name: string): string[] => [
  `OTEL_EXPORTER_OTLP_TRACES_${name}`,
  `OTEL_EXPORTER_OTLP_${name}`,
];

function isHttp(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
