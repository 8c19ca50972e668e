import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { describeDelivery } from './delivery-suite.ts';
import { describeSeveralTopics } from './topics-suite.ts';

describe('events on the embedded broker', () => {
  describeDelivery({ start: startEmbeddedKafka });
});

describe('several topics in one group on the embedded broker', () => {
  describeSeveralTopics({ start: startEmbeddedKafka });
});
