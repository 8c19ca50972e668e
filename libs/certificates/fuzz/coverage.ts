import { Session } from 'node:inspector/promises';

/** What one execution reached in the files under watch: blocks with the order of magnitude of their counts. */
export interface CoverageProbe {
  /** Features reached since the last call. */
  readonly take: () => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

/** Starts V8's block coverage for the scripts whose address contains `part`. */
export async function startCoverage(part: string): Promise<CoverageProbe> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    take: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result
        .filter(({ url }) => url.includes(part))
        .flatMap(({ scriptId, functions }) =>
          functions.flatMap(({ ranges }) =>
            ranges
              .filter(({ count }) => count > 0)
              .map(
                ({ startOffset, endOffset, count }) =>
                  `${scriptId}:${startOffset}-${endOffset}:${Math.floor(Math.log2(count))}`,
              ),
          ),
        );
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
