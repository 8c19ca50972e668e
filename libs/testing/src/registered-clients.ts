import type { Tx } from '@kontoport/database';

/** The certificate of a client, by the number of its change. */
const THUMBPRINT = (revision: string): string =>
  `translate(rtrim(encode(sha256(convert_to((${revision})::text, 'UTF8')), 'base64'), '='), '+/', '-_')`;

/** Digests of a number of redirect URIs. */
const DIGESTS = `CASE WHEN $3 THEN NULL ELSE (
                SELECT string_agg(substr(sha256(convert_to(n || '/' || m, 'UTF8')), 1, 16), ''::bytea)
                FROM generate_series(1, $2::int) AS m)
              END`;

/**
 * Registers or deletes clients directly in the database of registration, each with a change and a certificate, as by
 * calls of the service.
 * @param options.redirectUris number per client
 * @param options.uriLength characters of each redirect URI
 * @param options.organizationIdentifier of all clients; default: one for each ten
 * @param options.createdAt SQL of the interval since the registration
 */
export async function insertClients(
  sql: Tx,
  options: {
    count: number;
    redirectUris?: number;
    uriLength?: number;
    deleted?: boolean;
    organizationIdentifier?: string;
    createdAt?: string;
  },
): Promise<void> {
  const {
    count,
    redirectUris = 1,
    uriLength = 50,
    deleted = false,
    organizationIdentifier,
    createdAt = 'now()',
  } = options;
  await sql.query(
    `WITH made AS (
       INSERT INTO client (id, name, display_name, roles, redirect_uris, redirect_digests, redirect_uri_digests,
                           organization_identifier, secret_hash, revision, created_at, deleted_at, certificates,
                           named_until)
       SELECT gen_random_uuid(), CASE WHEN $3 THEN NULL ELSE 'Fjord Budget' END,
              CASE WHEN $3 THEN NULL ELSE 'Fjord Budget ApS' END, '{PSP_AI,PSP_PI}',
              CASE WHEN $3 THEN '{}' ELSE ARRAY(
                SELECT rpad('https://tpp.example/' || n || '/' || m || '/', $5, md5(n::text || m)) FROM generate_series(1, $2::int) AS m)
              END,
              ${DIGESTS}, ${DIGESTS},
              coalesce($4, 'PSDDK-DFSA-' || n / 10), CASE WHEN $3 THEN NULL ELSE sha256('x') END,
              state.revision + n, ${createdAt}, CASE WHEN $3 THEN ${createdAt} END,
              ${THUMBPRINT('state.revision + n')} || ':' ||
                extract(epoch FROM now() + interval '90 days')::bigint || ':PSP_AI,PSP_PI',
              CASE WHEN $3 THEN NULL ELSE now() + interval '90 days' END
       FROM client_revision AS state, generate_series(1, $1::int) AS n
       RETURNING id, revision, created_at),
     chained AS (
       INSERT INTO certificate_chain (id, client_id, thumbprint, added_at, display_name, roles, not_after)
       SELECT gen_random_uuid(), id,
              ${THUMBPRINT('revision')}, created_at, CASE WHEN $3 THEN NULL ELSE 'Fjord Budget ApS' END,
              '{PSP_AI,PSP_PI}', now() + interval '90 days'
       FROM made)
     UPDATE client_revision SET revision = (SELECT max(revision) FROM made)`,
    [count, redirectUris, deleted, organizationIdentifier ?? null, uriLength],
  );
}
