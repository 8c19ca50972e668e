import type { SpanContext } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { SAMPLED } from './trace-context.ts';
import type { Sampling } from './tracing-settings.ts';

/**
 * Says which traces are recorded. Where the caller is followed, those of which he says so, and a share of those that begin here; else a
 * share of all by their ids, as all judge who are set up alike.
 */
export function samplerOf({ followsCaller, share }: Sampling) {
  const byId = new TraceIdRatioBasedSampler(share);
  return (context: SpanContext, begins: boolean): boolean => {
    if (!followsCaller)
      return byId.shouldSample(undefined, context.traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
    // Of one that begins the id would have to be written out first.
    return begins ? Math.random() < share : (context.traceFlags & SAMPLED) !== 0;
  };
}
