import { apacheKafkaAvailable, ownBrokerAvailable } from '@kontoport/embedded/apache-kafka';
import { describeWith } from './describe-with.ts';

/**
 * A `describe` for tests on Apache Kafka. Without one its tests are skipped with the reason; with `CI` set they fail.
 * @param options.killable the tests kill the broker, so it must be a process of this run
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
