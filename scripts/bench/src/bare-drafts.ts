// The three writes of a draft at their least: one statement each, nobody asked who calls.
import { openPool } from '@kontoport/database';

/** What a bare server answers: a status and its JSON. */
export type BareAnswer = readonly [status: number, body: unknown];

/** The writes over one pool, on tables that are made here. */
export async function openBareDrafts(url: string) {
  const pool = openPool({ url, applicationName: 'bare-drafts' });
  await pool.query(`CREATE TABLE bare_draft (id uuid PRIMARY KEY, status text NOT NULL, content json NOT NULL);
                    CREATE TABLE bare_basket (id uuid PRIMARY KEY, content json NOT NULL)`);
  return {
    async create(body: Record<string, unknown>): Promise<BareAnswer> {
      await pool.query({
        name: 'create',
        text: `INSERT INTO bare_draft (id, status, content) VALUES ($1, 'CREATED', $2)`,
        values: [body.draftId, JSON.stringify(body)],
      });
      return [201, body];
    },
    async patch(draftId: string, body: Record<string, unknown>): Promise<BareAnswer> {
      await pool.query({
        name: 'patch',
        text: 'UPDATE bare_draft SET content = $2 WHERE id = $1',
        values: [draftId, JSON.stringify(body)],
      });
      return [200, { ...body, isValid: true }];
    },
    async approve(body: Record<string, unknown>): Promise<BareAnswer> {
      await pool.query({
        name: 'approve',
        text: `WITH approved AS (UPDATE bare_draft SET status = 'PENDING' WHERE id = ANY ($2::uuid[]))
               INSERT INTO bare_basket (id, content) VALUES ($1, $3)`,
        values: [body.requestId, body.draftIds, JSON.stringify(body)],
      });
      return [200, { status: 'APPROVED' }];
    },
  };
}
