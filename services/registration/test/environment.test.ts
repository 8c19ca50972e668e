import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { untilReady } from '@kontoport/embedded/until-ready';
import { startInProcess } from '@kontoport/service';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { registration } from '../src/service.ts';
import { newApplicant, register, REGISTRATION, registrationEnv, startBroker } from './running.ts';

let peers: FakePeers;
let broker: Broker;
let database: TestDatabase;

beforeAll(async () => {
  [peers, database, broker] = await Promise.all([
    startFakePeers(),
    testDatabase('registration'),
    startBroker(),
  ]);
});
afterAll(async () => {
  await database.drop();
  await peers.close();
  await broker.stop();
});

describe('redirect URIs by environment (§2.1: http is for localhost during development)', () => {
  it.each([
    ['sandbox', 201],
    ['production', 400],
  ])('%s answers http on localhost with %i', async (environment, status) => {
    const env = registrationEnv({ peers, databaseUrl: database.url, broker, grpcPort: await freePort() });
    const service = await startInProcess(registration, { ...env, ENVIRONMENT: environment });
    await untilReady({ name: 'registration', opsPort: service.opsPort, limitMs: 60_000 });
    const body = { ...REGISTRATION, redirectUris: ['http://localhost:3000/callback'] };
    const answer = await register(service.addresses.registration_url!, await newApplicant(peers), { body });
    expect(answer.status).toBe(status);
    await service.close();
  });
});
