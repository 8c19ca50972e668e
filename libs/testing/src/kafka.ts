export {
  apacheKafkaAvailable,
  describeWithApacheKafka,
  fetchKafkaJars,
  type KillableBroker,
  startApacheKafka,
  startKillableKafka,
} from './apache-kafka.ts';
export { type Broker, startEmbeddedKafka } from './embedded-kafka.ts';
