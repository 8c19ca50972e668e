import { startInProcess } from '@kontoport/service';
import { type Peers, startPeers } from '@kontoport/testing/peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { registration } from '../src/service.ts';
import { registrationEnv } from './running.ts';

let peers: Peers;
let database: TestDatabase;
let service: Awaited<ReturnType<typeof startInProcess>>;

beforeAll(async () => {
  peers = await startPeers();
  database = await testDatabase('registration');
  // The clients of the walk are those of the peers' directory.
  const { REGISTRATION_GRPC } = peers.env;
  const env = { ...registrationEnv({ peers, databaseUrl: database.url, grpcPort: 0 }), REGISTRATION_GRPC };
  service = await startInProcess(registration, env);
});

afterAll(async () => {
  await service.close();
  await database.drop();
  await peers.close();
});

describeRouteSecurity({
  service: registration,
  addresses: () => service.addresses,
  peers: () => peers,
});
