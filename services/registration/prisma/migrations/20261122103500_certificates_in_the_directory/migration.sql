-- What the directory tells of the chains, in place of their thumbprints alone, and of the redirect URIs as they are written.
ALTER TABLE "client" ADD COLUMN "certificates" TEXT, ADD COLUMN "redirect_uri_digests" BYTEA;

-- Of clients that were deleted before ends were noted, nobody knows them.
UPDATE "client" SET
    "certificates" = array_to_string(ARRAY(
        SELECT "thumbprint" || ':' || coalesce(floor(extract(epoch FROM "not_after"))::bigint, 0) || ':'
            || array_to_string("roles", ',')
        FROM "certificate_chain" WHERE "client_id" = "client"."id" ORDER BY "added_at", "id"), ' '),
    "redirect_uri_digests" = (
        SELECT string_agg(substr(sha256(convert_to(uri, 'UTF8')), 1, 16), ''::bytea ORDER BY position)
        FROM unnest("redirect_uris") WITH ORDINALITY AS registered (uri, position));

ALTER TABLE "client" ALTER COLUMN "certificates" SET NOT NULL, DROP COLUMN "thumbprints";
