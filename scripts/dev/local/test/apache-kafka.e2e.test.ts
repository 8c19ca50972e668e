import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import { kontoport } from '@kontoport/testing/kontoport';
import { LIMIT_MS, useStack } from './started-stack.ts';

const { start } = useStack();

describeWithApacheKafka(
  'npm start -- --kafka apache',
  () => {
    it(
      'runs the tour on an Apache Kafka with TLS, SASL and an access list for each service',
      async () => {
        const { ended, output } = start('--kafka', 'apache', '--exit-after-tour');
        const status = await ended;
        expect(output()).toContain('Apache Kafka with TLS, SASL and access lists');
        expect(output()).toContain('The tour is complete');
        expect(status).toBe(0);
      },
      2 * LIMIT_MS,
    );
  },
  { killable: true },
);

describe('npm start -- --kafka apache without Java', () => {
  it('names the missing Java before it starts anything', async () => {
    const data = mkdtempSync(join(tmpdir(), 'kontoport-stack-'));
    const { KAFKA_BROKERS: _brokers, ...env } = process.env;
    const { status, stdout, stderr } = await kontoport(
      ['start', '--kafka', 'apache', '--data', data, '--base-port', '0', '--registration-port', '0'],
      { env: { ...env, PATH: join(data, 'nothing'), AUTH_PORT: '0', USER_PORT: '0' } },
    );
    rmSync(data, { recursive: true });
    expect(status).toBe(1);
    expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toMatch(
      /--kafka apache needs Java 17 or newer.*our own small broker serves/,
    );
    expect(stdout).not.toContain('✓');
  });
});
