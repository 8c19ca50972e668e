-- When the last chain that backs the display name ends, null when no chain of the client is left to name it after.
ALTER TABLE "client" ADD COLUMN "named_until" TIMESTAMPTZ(3);

UPDATE "client" SET "named_until" = (
    SELECT max("not_after") FROM "certificate_chain" AS chain
    WHERE chain."client_id" = "client"."id" AND chain."display_name" = "client"."display_name")
WHERE "deleted_at" IS NULL;

-- In the order of their ends.
CREATE INDEX "client_named_until_idx" ON "client" ("named_until") WHERE "named_until" IS NOT NULL;
