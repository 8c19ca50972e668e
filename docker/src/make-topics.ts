import { readConfig } from '@kontoport/config';
// node docker/src/make-topics.ts: creates the missing topics at KAFKA_BROKERS and prints their names.
import { ensureTopics, kafkaAccess, kafkaConfig, openKafka, topics } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';

const logger = createLogger({ service: 'make-topics', level: 'silent' });
const access = kafkaAccess({ config: readConfig(kafkaConfig, process.env), logger });
const made = await ensureTopics(
  openKafka({ ...access, clientId: 'make-topics', logger }),
  Object.values(topics),
);
for (const name of made) console.log(name);
