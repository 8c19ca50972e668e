import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import type { Engine } from '../src/engine.ts';
import { imagesFor } from '../src/local-images.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Milliseconds for a run of Jest inside this one, on a busy machine. */
const LIMIT_MS = 900_000;

/** Tests that PostgreSQL and Apache Kafka are containers by default where an engine answers. */
export function describeContainers(engine: () => Engine): void {
  const events = ['--selectProjects', 'events', '--testPathPatterns', 'apache-kafka.test'];

  it(
    'tests use PostgreSQL and Apache Kafka in containers by default: the delivery of events holds there as well',
    async () => {
      const parts = await imagesFor(engine(), ['POSTGRES_IMAGE', 'KAFKA_IMAGE']);
      // Watches from the beginning: an engine keeps few events, and each `exec` is one.
      const since = ['--since', new Date().toISOString(), '--filter', 'event=start', '--format', '{{.From}}'];
      const watch = spawn('docker', ['events', ...since], {
        env: engine().env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let seen = '';
      watch.stdout.setEncoding('utf8').on('data', (more: string) => (seen += more));
      const started = (): string[] => seen.split('\n');
      // The inner run inherits no variables of this one.
      const own = Object.entries(engine().env).filter(
        ([name]) =>
          !/^(KONTOPORT_TEST_.*|JEST_WORKER_ID|TEST_.*|(TEST_)?DATABASE_URL|KAFKA_BROKERS)$/.test(name),
      );
      const env = {
        ...Object.fromEntries(own),
        ...parts,
        // Ryuk's image cannot be pulled without a registry; the engine ends with this file anyway.
        TESTCONTAINERS_RYUK_DISABLED: 'true',
      };
      const child = spawn(
        process.execPath,
        ['scripts/repo/jest.ts', ...events, '--testNamePattern', 'events on'],
        {
          cwd: ROOT,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      const [said, words] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      expect(`${said}${words}`).toMatch(/^Tests use PostgreSQL .* in containers\.$/m);
      expect(`${said}${words}`).toMatch(/^Tests: .* [1-9]\d* passed/m);
      expect([child.exitCode, child.exitCode === 0 ? '' : words]).toEqual([0, '']);
      const images = Object.values(parts);
      await until(() => images.every((image) => started().includes(image)), {
        what: `the start of ${images.join(', ')}`,
      });
      watch.kill();
    },
    LIMIT_MS,
  );
}
