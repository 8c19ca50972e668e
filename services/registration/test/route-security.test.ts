import { createLogger, Lifecycle } from '@kontoport/runtime';
import { type Peers, startPeers } from '@kontoport/testing/peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { clientRoutes } from '../src/client/client.routes.ts';
import type { Deps } from '../src/deps.ts';
import { start } from '../src/start.ts';
import { registrationEnv } from './start-registration.ts';

let peers: Peers;
let database: TestDatabase;
let origin: string;
const lifecycle = new Lifecycle();

beforeAll(async () => {
  peers = await startPeers();
  database = await testDatabase('registration');
  // The clients of the walk are those of the peers' directory.
  const { REGISTRATION_GRPC } = peers.env;
  const env = { ...registrationEnv({ peers, databaseUrl: database.url, grpcPort: 0 }), REGISTRATION_GRPC };
  origin = `http://127.0.0.1:${(await start({ lifecycle, env })).httpPort}`;
});

afterAll(async () => {
  await lifecycle.close(createLogger({ service: 'test', level: 'silent' }));
  await database.drop();
  await peers.close();
});

describeRouteSecurity({
  // The walk reads method, path and security only; nothing is called.
  service: { entryPoints: () => ({ routes: { registration_url: clientRoutes({} as Deps) } }) },
  addresses: () => ({ registration_url: origin }),
  peers: () => peers,
});
