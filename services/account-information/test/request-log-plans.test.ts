import { AnsweredRequest } from '@kontoport/proto/requests/v1';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import { createPrisma } from '../src/gen/db.ts';
import { deleteSurplus, findRequests, insertRequests } from '../src/request-log/logged-request.repository.ts';

const ORGANIZATIONS = 20;
/** Requests in the log of an organization. */
const LOGGED = 1_000;
const organization = 'PSDDK-DFSA-1';

const within = withinOne(createPrisma);

/** Stores a request, deletes the surplus, and reads a page. */
const storeAndRead = (expected: (requestIds: string[]) => void) =>
  within(async (tx) => {
    const request = { organization, at: new Date(), requestId: 'new', method: 'GET', route: '/accounts' };
    await insertRequests(tx, [AnsweredRequest.fromPartial({ ...request, status: 200 })]);
    await deleteSurplus(tx, [organization]);
    const { requests } = await findRequests(tx.prisma, organization, { limit: 20 });
    expected(requests.map(({ requestId }) => requestId));
  });

describe.each(['never', 'before', 'after'])(
  'the request log does not read the requests of others, statistics: %s (§Sandbox)',
  (analyzed) => {
    let planning: Planning;
    beforeAll(async () => {
      planning = await openPlanning('account-information');
      const { pool, connections } = planning;
      if (analyzed === 'before') await pool.query('ANALYZE');
      await rowsRead(
        connections[1],
        storeAndRead(() => {}),
      );
      await pool.query(
        `INSERT INTO logged_request (organization, at, request_id, method, route, status, milliseconds)
         SELECT 'PSDDK-DFSA-' || n % $1, '2026-01-01Z'::timestamptz + n * interval '1 second', 'old', 'GET', '/accounts', 200, 1
         FROM generate_series(1, $1::int * $2::int) AS n`,
        [ORGANIZATIONS, LOGGED],
      );
      if (analyzed === 'after') await pool.query('ANALYZE');
    });
    afterAll(() => planning.close());

    it('when it stores a request, deletes the oldest and reads a page', async () => {
      const work = storeAndRead((requestIds) => expect(requestIds.slice(0, 2)).toEqual(['new', 'old']));
      for (const connection of planning.connections)
        expect(await rowsRead(connection, work)).toBeLessThanOrEqual(LOGGED + 50);
    });
  },
);
