import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { openPlanning, type Planning, rowsRead } from '@kontoport/testing/statement-work';
import { toDocument } from '../src/store/postgres/document.ts';
import { selectSinglePayments } from '../src/store/postgres/select-single-payments.ts';
import { draftOf, later, NOW } from './store-fixtures.ts';

const MANY = 5_000;
const PAGE = 50;
const FEW = 3;

const clientId = randomUUID();
const consentId = randomUUID();
const paymentType = 'domestic-credit-transfer';

/** Stores single payments of a client, one for each second. */
async function fill(
  { pool }: Planning,
  { count, ...owner }: { count: number; clientId: string; consentId?: string },
): Promise<void> {
  const single = { ...draftOf(owner.clientId), kind: 'single', status: 'COMPLETED' };
  await pool.query(
    `INSERT INTO draft (client_id, id, consent_id, organization, created_at, counted, content)
     SELECT $1, gen_random_uuid(), $2, 'one', $3::timestamptz + make_interval(secs => second), false, $4
     FROM generate_series(1, $5::int) AS second`,
    [owner.clientId, owner.consentId ?? null, NOW, toDocument(single), count],
  );
}

describe('a page of single payments is found by reading the page (§4.5)', () => {
  let planning: Planning;
  const list = (asked: { consentId?: string; after?: Date }) => (tx: Tx) => {
    const { after, ...owner } = asked;
    const position = after && { createdAt: after, paymentId: randomUUID() };
    return selectSinglePayments(tx, {
      clientId,
      ...owner,
      paymentType,
      limit: PAGE,
      now: NOW,
      after: position,
    });
  };
  const MIDDLE = later((MANY / 2) * 1_000);

  beforeAll(async () => {
    planning = await openPlanning('payments');
    // The connection keeps the plans that it made while the tables were empty.
    await list({})(planning.connections[1]);
    await list({ consentId })(planning.connections[1]);
    await fill(planning, { clientId, consentId, count: FEW });
    for (const owner of [{ clientId }, { clientId, consentId: randomUUID() }, { clientId: randomUUID() }])
      await fill(planning, { ...owner, count: MANY });
  });
  afterAll(() => planning.close());

  it.each([
    ['the first', {}, PAGE],
    ['one in the middle', { after: MIDDLE }, PAGE],
    ['of a consent with few among many', { consentId }, FEW],
  ])('%s', async (_which, asked, length) => {
    for (const analyzed of [false, true]) {
      if (analyzed) await planning.pool.query('ANALYZE draft');
      for (const connection of planning.connections) {
        const read = await rowsRead(connection, async (tx) =>
          expect(await list(asked)(tx)).toHaveLength(length),
        );
        expect(read).toBeLessThanOrEqual(2 * length);
      }
    }
  });
});
