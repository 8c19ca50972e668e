// Fetches the jars of the real Apache Kafka ahead of the tests, so that a failure to get them is not a failed test.
import { fetchKafkaJars } from '../src/kafka-jars.ts';

console.log(`Apache Kafka: ${await fetchKafkaJars()}`);
