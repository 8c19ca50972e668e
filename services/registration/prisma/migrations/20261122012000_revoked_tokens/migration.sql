-- AlterTable
ALTER TABLE "client" ADD COLUMN     "revoked_tokens" TEXT,
ADD COLUMN     "revoked_until" TIMESTAMPTZ(3);

-- For their end: nearly all clients have none.
CREATE INDEX "client_revoked_until_idx" ON "client" ("revoked_until") WHERE revoked_until IS NOT NULL;
