import {
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { decideAtTheDoor, isChosen } from './spans.ts';

/**
 * The sampler of OTEL_TRACES_SAMPLER where it follows the caller, or begins with a share: then it is decided at the door, and what
 * begins elsewhere, such as a batch of records, by the id of its trace. Nothing for any other, which is the SDK's own business.
 */
export function doorSampler(env: NodeJS.ProcessEnv): Sampler | undefined {
  const share = shareOf(env);
  decideAtTheDoor(share);
  if (share === undefined) return undefined;
  const byId = new TraceIdRatioBasedSampler(share);
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

function shareOf({
  OTEL_TRACES_SAMPLER: sampler,
  OTEL_TRACES_SAMPLER_ARG: argument = '',
}: NodeJS.ProcessEnv) {
  if (!sampler || sampler === 'parentbased_always_on') return 1;
  if (sampler !== 'parentbased_traceidratio') return undefined;
  const share = argument === '' ? NaN : Number(argument);
  return share >= 0 && share <= 1 ? share : undefined;
}
