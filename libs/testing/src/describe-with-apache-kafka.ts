import { apacheKafkaAvailable, ownBrokerAvailable } from '@kontoport/embedded/apache-kafka';
import { describeWith } from './describe-with.ts';

/**
 * A `describe` for tests on a real Apache Kafka. Where there is none its tests are counted as skipped and say so;
 * with `CI` set that is a failure instead.
 * @param options.killable the tests kill the broker, so it must be one of our own
 */
export function describeWithApacheKafka(
  name: string,
  tests: () => void,
  options: { killable: boolean } = { killable: false },
): void {
  const available = options.killable ? ownBrokerAvailable() : apacheKafkaAvailable();
  const missing =
    'no real Apache Kafka: set KAFKA_BROKERS, start a container engine, or install Java 17 and Maven';
  describeWith(name, { missing: available ? undefined : missing }, tests);
}
