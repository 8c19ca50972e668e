import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { startInProcess } from '@kontoport/service';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { registration } from '../src/service.ts';
import { registrationEnv, startBroker } from './running.ts';

let peers: FakePeers;
let broker: Broker;
let database: TestDatabase;
let service: Awaited<ReturnType<typeof startInProcess>>;

beforeAll(async () => {
  peers = await startFakePeers();
  broker = await startBroker();
  database = await testDatabase('registration');
  // The route tests use clients of the peers' directory.
  const { REGISTRATION_GRPC } = peers.env;
  const env = {
    ...registrationEnv({ peers, databaseUrl: database.url, broker, grpcPort: 0 }),
    REGISTRATION_GRPC,
  };
  service = await startInProcess(registration, env);
});

afterAll(async () => {
  await service.close();
  await database.drop();
  await peers.close();
  await broker.stop();
});

describeRouteSecurity({
  service: registration,
  addresses: () => service.addresses,
  peers: () => peers,
});
