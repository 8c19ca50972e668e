-- What a chain stands for: the name that users read, the roles of its leaf, and its leaf's end.
ALTER TABLE "certificate_chain" ADD COLUMN "display_name" TEXT,
ADD COLUMN "not_after" TIMESTAMPTZ(3),
ADD COLUMN "roles" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Until now a client had one chain, its name was that of the client, and what the client may do was among its roles.
UPDATE "certificate_chain" AS chain
SET "display_name" = client."display_name",
    "roles" = client."roles",
    "not_after" = (SELECT "not_after" FROM "certificate" WHERE "chain_id" = chain."id" AND "position" = 0)
FROM "client" WHERE client."id" = chain."client_id";
