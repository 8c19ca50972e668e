import { createHmac, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seal, unseal } from '@kontoport/database';
import { openTestPool } from '@kontoport/testing/postgres';

const ID_BYTES = 16;
const EXPIRES_AT = 5;
const CONTEXT = 'authorization-request/opened';

/**
 * The path of an authorization request that is open in a browser, as if it had been opened at another time: nothing in its seal
 * is another but its end.
 * @param path of the page
 * @param data the folder of the stack, whose secret seals
 */
export async function endingAt(
  expiresAt: Date,
  { path, data }: { path: string; data: string },
): Promise<string> {
  const { secretsKey } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as {
    secretsKey: string;
  };
  const secret = Buffer.from(secretsKey, 'base64url');
  const root = unseal(secret, await sealedRoot(data), 'root-key');
  const requests = Buffer.from(hkdfSync('sha256', root, '', 'kontoport authorization requests', 32));
  const bytes = Buffer.from(path.split('/')[2]!, 'base64url');
  const id = bytes.subarray(0, ID_BYTES);
  const key = createHmac('sha256', requests).update(id).digest();
  const fields = JSON.parse(unseal(key, bytes.subarray(ID_BYTES), CONTEXT).toString()) as unknown[];
  fields[EXPIRES_AT] = expiresAt.getTime();
  const sealed = Buffer.concat([id, seal(key, JSON.stringify(fields), CONTEXT)]);
  return `/authorize/${sealed.toString('base64url')}`;
}

/** As it lies in the stack's own PostgreSQL, whose port stands in the fourth line of its file. */
async function sealedRoot(data: string): Promise<Buffer> {
  const port = readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')[3]!;
  const pool = openTestPool(`postgres://postgres:postgres@127.0.0.1:${port}/auth`);
  try {
    return (await pool.query<{ sealed: Buffer }>('SELECT sealed FROM root_key')).rows[0]!.sealed;
  } finally {
    await pool.end();
  }
}
