-- Deleted clients of an organization (§4.2), the oldest first.
CREATE INDEX "client_remains_idx" ON "client" ("organization_identifier", "deleted_at") WHERE "deleted_at" IS NOT NULL;
