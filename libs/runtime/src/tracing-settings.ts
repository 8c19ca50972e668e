import { type CollectorSettings, readCollector } from './collector-settings.ts';
import { TracingVariables } from './tracing-variables.ts';

/** Which traces are recorded: such a share, of all, or of those that begin here where the caller is followed. */
export interface Sampling {
  followsCaller: boolean;
  share: number;
}

/** What OpenTelemetry's variables say of tracing, but for what the resource reads itself. */
export interface TracingSettings {
  sampling: Sampling;
  /** Absent: nobody could be told what is recorded. */
  collector: CollectorSettings | undefined;
  /** Absent: the SDK's own. */
  batches: {
    scheduledDelayMillis?: number;
    exportTimeoutMillis?: number;
    maxQueueSize?: number;
    maxExportBatchSize?: number;
  };
  /** `VARIABLE: what is wrong with it`, of each that is passed over. */
  faults: readonly string[];
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
const BATCHES = {
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
} as const;
const KINDS = Object.keys(BATCHES) as (keyof typeof BATCHES)[];

/** Nobody's requests fail for want of traces: a value that cannot be used is passed over, as OpenTelemetry demands, and told. */
export function readTracing(env: NodeJS.ProcessEnv): TracingSettings {
  const variables = new TracingVariables(env);
  const sampling = readSampling(variables);
  const collector = readCollector(variables);
  const batches: TracingSettings['batches'] = {};
  for (const kind of KINDS) {
    const count = variables.count([BATCHES[kind]]);
    if (count !== undefined) batches[kind] = count;
  }
  return { sampling, collector, batches, faults: variables.faults };
}

function readSampling(variables: TracingVariables): Sampling {
  const sampler = variables.first(['OTEL_TRACES_SAMPLER'], (name) => {
    const known = SAMPLERS.get(name);
    if (known !== undefined) return known;
    throw new Error([...SAMPLERS.keys()].join(', '));
  });
  if (sampler === undefined) return { followsCaller: true, share: 1 };
  const { followsCaller, share = readShare(variables) } = sampler;
  return { followsCaller, share };
}

function readShare(variables: TracingVariables): number {
  const name = 'OTEL_TRACES_SAMPLER_ARG';
  const share = Number(variables.text(name) ?? NaN);
  if (share >= 0 && share <= 1) return share;
  variables.passOver(name, 'a number from 0 to 1');
  return 1;
}
