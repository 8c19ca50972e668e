-- What the directory tells of the redirect URIs, made when they are written. Null in rows from before this column.
ALTER TABLE "client" ADD COLUMN "redirect_digests" BYTEA, ADD COLUMN "used_at" TIMESTAMPTZ(3);

-- Whoever registered before first uses were noted counts as one who uses it.
UPDATE "client" SET "used_at" = "created_at" WHERE "deleted_at" IS NULL;

-- Live clients of an organization (§4.2), clients that were never used, and tombstones, each in the order of their end.
CREATE INDEX "client_live_idx" ON "client" ("organization_identifier") WHERE "deleted_at" IS NULL;
CREATE INDEX "client_unused_idx" ON "client" ("created_at") WHERE "used_at" IS NULL AND "deleted_at" IS NULL;
CREATE INDEX "client_tombstone_idx" ON "client" ("deleted_at") WHERE "deleted_at" IS NOT NULL;

-- A watcher that stopped before this number may know clients whose deletion nobody can tell it of any more.
ALTER TABLE "client_revision" ADD COLUMN "purged_revision" BIGINT NOT NULL DEFAULT 0;

-- How much of its rate of registrations an organization has used up. Whose allowance is whole has no row in the end.
CREATE TABLE "registration_rate" (
    "organization_identifier" TEXT NOT NULL,
    "full_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "registration_rate_pkey" PRIMARY KEY ("organization_identifier")
);

CREATE INDEX "registration_rate_full_at_idx" ON "registration_rate" ("full_at");

-- The request ids of a client go with its tombstone.
CREATE INDEX "registration_request_client_id_idx" ON "registration_request" ("client_id");
