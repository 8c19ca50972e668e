// A process that works on a database and dies at a given point: the worker of crashes.test.ts.
import { openDb } from '@kontoport/database';
import type pg from 'pg';
import { createPrisma } from '../src/gen/db.ts';
import { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';
import { crashDeps, type Death, type DyingTask, work } from './crash-tasks.ts';

const [url, given, end] = process.argv.slice(2) as [string, string, string];
const [task, death] = [JSON.parse(given) as DyingTask, JSON.parse(end) as Death];

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

const db = openDb({ url, applicationName: 'worker', max: 3, prisma: createPrisma });
let commits = 0;
db.pool.on('connect', (client: pg.PoolClient) => {
  const query = client.query.bind(client) as (...asked: unknown[]) => Promise<unknown>;
  Object.assign(client, {
    async query(...asked: unknown[]) {
      if (asked[0] !== 'COMMIT' || ++commits !== death.commit) return query(...asked);
      if (death.when === 'after commit') await query(...asked);
      return die();
    },
  });
});
const store = new PostgresPaymentStore({
  db,
  relay: { wake() {} },
  limits: { ofClient: 1_000, ofOrganization: 1_000 },
  retention: { openMs: 86_400_000, paymentMs: 86_400_000 },
});
const deps = crashDeps(store, db);
const { authentication, bank } = deps;
await work(
  {
    ...deps,
    authentication: {
      ...authentication,
      async authenticate(order) {
        const answer = await authentication.authenticate(order);
        if (death.when === 'after answer') die();
        return answer;
      },
    },
    bank: {
      ...bank,
      async submit(order) {
        const answer = await bank.submit(order);
        if (death.when === 'after answer') die();
        return answer;
      },
    },
  },
  task,
);
