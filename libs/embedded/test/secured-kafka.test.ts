import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import { tlsFolder } from '@kontoport/testing/tls';
import { setupClient } from '../src/kafka-server.ts';
import { startSecuredKafka } from '../src/secured-kafka.ts';

describeWithApacheKafka(
  'a secured Apache Kafka whose data is kept',
  () => {
    it('keeps topics and users on other ports, also after a kill', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'kontoport-kept-kafka-'));
      const tls = await tlsFolder();
      const files = await tls.issue('broker', { server: ['127.0.0.1'] });
      const start = () =>
        startSecuredKafka({
          ...files,
          ca: tls.ca,
          users: { admin: 'the-password-of-admin' },
          topics: [],
          access: [],
          folder,
        });
      const first = await start();
      await setupClient(first.access).createTopics([{ name: 'kept', partitions: 2 }]);
      await first.kill();

      const second = await start();
      expect(second.brokers).not.toEqual(first.brokers);
      expect(await setupClient(second.access).listTopics()).toEqual(['kept']);
      await second.stop();
      tls.remove();
      rmSync(folder, { recursive: true, force: true });
    }, 120_000);
  },
  { killable: true },
);
