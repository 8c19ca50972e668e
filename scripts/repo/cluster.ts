// npm run cluster: the bank in a Kubernetes of one node, installed, used, upgraded and hurt. The last line is "N passed, N failed".
import { runTests } from './jest.ts';

const HELP = `usage: npm run cluster [-- <Jest arguments>]

Builds the images of the services, starts a Kubernetes of one node on this machine, with PostgreSQL, Apache Kafka and an
Envoy in pods, installs the chart, and tests what becomes of it. It takes about twenty minutes, and as long once more the
first time, when Kubernetes itself is built. Nothing of it stays but that build: the node has processes, mounts and a network
of its own, which end with this program, Ctrl-C included.

It takes root on Debian, Go 1.26, containerd, runc, ip, nft, and what npm run images takes.
  --testNamePattern <pattern>    only tests whose name matches, after the installation
The last line is "N passed, N failed"; the exit code is 0 when tests were run and none failed.
`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(HELP);
} else {
  // With CI set, parts that this machine lacks are failures instead of skipped tests.
  process.env.CI = 'true';
  const { passed, failed } = await runTests(['docker', '--in', 'cluster', ...args]);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
}
