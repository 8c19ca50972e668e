import { describeWithApacheKafka, startApacheKafka } from '@kontoport/testing/kafka';
import { describeDelivery } from './delivery-suite.ts';

describeWithApacheKafka('events on Apache Kafka', () => {
  describeDelivery({ start: startApacheKafka, idempotent: true });
});
