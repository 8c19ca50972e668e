import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { describeDelivery } from './delivery-suite.ts';

describe('events on the embedded broker', () => {
  describeDelivery({ start: startEmbeddedKafka, idempotent: false });
});
