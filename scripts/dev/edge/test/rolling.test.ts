import { ownBrokerAvailable } from '@kontoport/embedded/apache-kafka';
import { describeWith } from '@kontoport/testing/describe-with';
import { missingFor, REAL_EDGES } from './real-edge.ts';
import { ReplicatedBank, SERVICES } from './replicated-bank.ts';
import { Load } from './rolling-load.ts';

const STEP_LIMIT_MS = 600_000;
/** A quarter of the shortest time limit between services; the calls take some milliseconds. */
const SLOW_MS = 500;
const ATTEMPTS = 5;
const missing =
  missingFor(REAL_EDGES.haproxy) ??
  (ownBrokerAvailable() ? undefined : 'no real Apache Kafka: install Java 17 and Maven');

describeWith('§5.1 behind HAProxy, under load, with two replicas of each service', { missing }, () => {
  const bank = new ReplicatedBank();
  let load: Load;

  beforeAll(async () => {
    await bank.open();
    load = new Load(bank);
    await load.start();
    for (const service of SERVICES) for (const replica of bank.replicasOf(service)) await replica.takesPart();
  }, STEP_LIMIT_MS);

  afterAll(async () => {
    await load?.close();
    await bank.close();
  }, STEP_LIMIT_MS);

  /**
   * Runs a step, and returns the requests that failed meanwhile, with the latest log lines of their services. On a machine so busy
   * that other services are slow, a 503 may be a time limit: if all failures are such, the step is repeated. A cut connection or
   * another status always counts.
   */
  const failuresDuring = async (step: () => Promise<void>): Promise<readonly string[]> => {
    for (let attempt = 1; ; attempt++) {
      const mark = load.outcomes.length;
      await step();
      const failures = load.failuresSince(mark);
      const wereLate = failures.every(({ said }) => said.startsWith('503 '));
      const isBusy = load.slowestSince(mark) > SLOW_MS;
      if (failures.length > 0 && wereLate && isBusy && attempt < ATTEMPTS) continue;
      const such = failures.map(({ service, said }) => `${service}: ${said}`);
      return [...such, ...bank.complaints([...new Set(failures.map(({ service }) => service))])];
    }
  };

  it.each(SERVICES)(
    'every request is answered while %s is restarted, one replica after the other',
    async (service) => {
      const failures = await failuresDuring(async () => {
        for (const replica of bank.replicasOf(service)) {
          await replica.stop();
          await load.everybodyAnswers();
          await replica.start();
          await replica.takesPart();
        }
        await load.everybodyAnswers();
      });
      expect(failures).toEqual([]);
      await load.everythingIsTold();
    },
    STEP_LIMIT_MS,
  );

  it(
    'every request is answered while the broker is away, and every event comes once it is back',
    async () => {
      const failures = await failuresDuring(async () => {
        await bank.kafka.kill();
        await load.everybodyAnswers();
        await bank.kafka.start();
        await load.everybodyAnswers();
        await load.everythingIsTold();
      });
      expect(failures).toEqual([]);
    },
    STEP_LIMIT_MS,
  );

  it(
    'while PostgreSQL is away there is nothing but 503 with Retry-After; afterwards nothing that was accepted is lost (§7)',
    async () => {
      const [mark, drafts] = [load.outcomes.length, load.drafts.length];
      await load.everybodyAnswers();
      await bank.stopPostgres();
      await load.everybodyRefuses();
      await bank.startPostgres();
      await load.everybodyAnswers();
      const undocumented = load.failuresSince(mark).filter(({ isDocumentedAbsence }) => !isDocumentedAbsence);
      expect(undocumented.slice(0, 3)).toEqual([]);
      expect(await failuresDuring(() => load.everybodyAnswers())).toEqual([]);
      await load.everythingIsTold();
      await load.stop();
      const statuses = await load.readDrafts(drafts);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
    },
    STEP_LIMIT_MS,
  );
});
