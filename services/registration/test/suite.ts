import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import type pg from 'pg';
import { type RegisteredTpp, registerTpp, type RunningRegistration, startRegistration } from './running.ts';

/** One or two replicas on their own database, for all tests of a file. */
export interface Suite {
  peers: FakePeers;
  databaseUrl: string;
  sql: pg.Pool;
  a: RunningRegistration;
  /** The second replica, only with `replicas: 2`. */
  b: RunningRegistration;
  /** Starts one more replica, which the test closes. */
  start(options?: { grpcPort?: number; env?: Record<string, string> }): Promise<RunningRegistration>;
  /** Registers a new TPP at `a`. */
  registerTpp(): Promise<RegisteredTpp>;
}

/** Starts the replicas before the tests of the file and closes them, with their database, after the tests. */
export function useRegistrations(options: { replicas?: 1 | 2; env?: Record<string, string> } = {}): Suite {
  const { replicas = 1, env = {} } = options;
  let database: TestDatabase;
  const suite = {
    start: (more = {}) => startRegistration({ peers: suite.peers, databaseUrl: suite.databaseUrl, ...more }),
    registerTpp: () => registerTpp(suite.peers, suite.a.origin),
  } as Suite;

  beforeAll(async () => {
    suite.peers = await startFakePeers();
    database = await testDatabase('registration');
    suite.databaseUrl = database.url;
    suite.sql = openTestPool(database.url);
    suite.a = await suite.start({ env });
    if (replicas === 2) suite.b = await suite.start({ env });
  });

  afterAll(async () => {
    await Promise.all([suite.a.close(), ...(replicas === 2 ? [suite.b.close()] : [])]);
    await suite.sql.end();
    await database.drop();
    await suite.peers.close();
  });
  return suite;
}
