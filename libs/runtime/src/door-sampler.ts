import {
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { decideAtTheDoor, isChosen } from './spans.ts';
import type { Sampling } from './tracing-settings.ts';

/**
 * The sampler for the SDK. Where it follows the caller, it is decided at the door, and of what begins elsewhere, such as a batch of
 * records, by the id of its trace; else always by the id.
 */
export function samplerOf({ followsCaller, share }: Sampling): Sampler {
  decideAtTheDoor(followsCaller ? share : undefined);
  const byId = new TraceIdRatioBasedSampler(share);
  if (!followsCaller) return byId;
  return new ParentBasedSampler({
    root: {
      shouldSample: (context, traceId) =>
        isChosen(context)
          ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
          : byId.shouldSample(context, traceId),
      toString: () => `Door{${share}}`,
    },
  });
}
