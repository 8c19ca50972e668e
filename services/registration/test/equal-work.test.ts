import * as crypto from 'node:crypto';
import { jest } from '@jest/globals';
import { insertClients } from '@kontoport/testing/registered-clients';
import { openPlanning, type Planning } from '@kontoport/testing/statement-work';
import type { Db } from '../src/gen/db.ts';

/** The computations since the last call of `workOf`: each HMAC and each comparison of secrets, with its input lengths. */
const computed: string[] = [];

jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  createHmac: (algorithm: string, key: Uint8Array) => {
    const hmac = crypto.createHmac(algorithm, key);
    const update = hmac.update.bind(hmac) as (data: string) => crypto.Hmac;
    hmac.update = (data: unknown) => {
      computed.push(`${algorithm} of ${String(data).length} under ${key.length}`);
      return update(String(data));
    };
    return hmac;
  },
  timingSafeEqual: (a: Uint8Array, b: Uint8Array) => {
    computed.push(`${a.length} with ${b.length}`);
    return crypto.timingSafeEqual(a, b);
  },
}));
const { verifyCredentials } = await import('../src/credentials/verify-credentials.ts');
const { hashClientSecret, toPepper } = await import('../src/clients/client-secret.model.ts');

const peppers = [1, 2, 3].map(() => toPepper(crypto.randomBytes(32)));
const [right, wrong] = [1, 2].map(() => crypto.randomBytes(32).toString('base64url')) as [string, string];
const EACH_PEPPER = peppers.flatMap(() => ['sha256 of 43 under 32', '32 with 32']);
const FOREIGN = 'A'.repeat(43);

describe('refused credentials cost the same work, whichever part is wrong (§4.1)', () => {
  let planning: Planning;
  let living: { clientId: string; thumbprint: string };
  let deleted: { clientId: string; thumbprint: string };

  beforeAll(async () => {
    planning = await openPlanning('registration');
    const { pool } = planning;
    await insertClients(pool, { count: 1 });
    await insertClients(pool, { count: 1, deleted: true });
    const { hash, pepperId } = hashClientSecret(right, peppers[0]!);
    await pool.query('UPDATE client SET secret_hash = $1, secret_pepper_id = $2 WHERE deleted_at IS NULL', [
      hash,
      pepperId,
    ]);
    const { rows } = await pool.query<{ clientId: string; thumbprint: string }>(
      `SELECT id AS "clientId", split_part(certificates, ':', 1) AS thumbprint FROM client
       ORDER BY deleted_at IS NOT NULL`,
    );
    [living, deleted] = rows as [typeof living, typeof deleted];
  });
  afterAll(() => planning.close());

  /** Returns the verdict on credentials, and its work: statements, their numbers of rows, and computations. */
  async function workOf(presented: Parameters<typeof verifyCredentials>[1]) {
    const work: unknown[] = [];
    const observed = {
      query: async (text: string, values: unknown[]) => {
        const result = await planning.pool.query(text, values);
        work.push({ text, values: values.length, rows: result.rows.length });
        return result;
      },
    } as unknown as Db;
    computed.length = 0;
    const client = await verifyCredentials({ db: observed, peppers }, presented);
    return { accepted: client !== undefined, work: [...work, ...computed] };
  }

  it.each<[string, () => Parameters<typeof verifyCredentials>[1]]>([
    ['a wrong secret', () => shown({ clientSecret: wrong })],
    ['the certificate of another', () => shown({ certificateThumbprint: FOREIGN })],
    [
      'a wrong secret over the certificate of another',
      () => shown({ clientSecret: wrong, certificateThumbprint: FOREIGN }),
    ],
    ['an unknown client', () => shown({ clientId: crypto.randomUUID() })],
    ['a client id that is none', () => shown({ clientId: 'nobody' })],
    [
      'a deleted client',
      () => shown({ clientId: deleted.clientId, certificateThumbprint: deleted.thumbprint }),
    ],
  ])(
    '%s: one statement with one row, and for each pepper one HMAC and one comparison of whole hashes',
    async (_what, presented) => {
      const { accepted, work } = await workOf(presented());
      expect(accepted).toBe(false);
      expect(work).toEqual([
        { text: expect.stringContaining('LEFT JOIN client'), values: 1, rows: 1 },
        ...EACH_PEPPER,
      ]);
    },
  );

  it('correct ones cost that, and storing their first use', async () => {
    expect((await workOf(shown({}))).accepted).toBe(true);
    const again = await workOf(shown({}));
    expect(again.accepted).toBe(true);
    expect(again.work.slice(1)).toEqual(EACH_PEPPER);
  });

  const shown = (change: Partial<Parameters<typeof verifyCredentials>[1]>) => ({
    clientId: living.clientId,
    clientSecret: right,
    certificateThumbprint: living.thumbprint,
    ...change,
  });
});
