import { startApacheKafka } from '@kontoport/embedded/apache-kafka';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import { describeDelivery } from './delivery-suite.ts';
import { describeSeveralTopics } from './topics-suite.ts';

describeWithApacheKafka('events on Apache Kafka', () => {
  describeDelivery({ start: startApacheKafka });
});

describeWithApacheKafka('several topics in one group on Apache Kafka', () => {
  describeSeveralTopics({ start: startApacheKafka });
});
