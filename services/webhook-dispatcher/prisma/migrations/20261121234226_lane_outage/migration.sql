-- A lane whose receiver does not answer waits as a whole (ADR 24): nothing is written for each of its deliveries.
ALTER TABLE "subscription" ADD COLUMN "outages" SMALLINT NOT NULL DEFAULT 0, ADD COLUMN "retry_at" TIMESTAMPTZ(3);
