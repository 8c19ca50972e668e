import type { Deployment } from './deploy-migrations.ts';
import { migrateDeploy } from './migrate.ts';

process.once('message', (deployments: Deployment[]) => {
  void (async () => {
    const results = await Promise.allSettled(deployments.map((deployment) => migrateDeploy(deployment)));
    const failures = results.flatMap((result, at) =>
      result.status === 'rejected' ? [`${deployments[at]!.prismaDir}: ${words(result.reason)}`] : [],
    );
    process.send!(failures.length === 0 ? null : failures.join('\n'), () =>
      // The engine's timer would hold the process for 10 s more.
      process.exit(failures.length === 0 ? 0 : 1),
    );
  })();
});

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
