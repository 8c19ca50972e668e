-- A deleted subscription stays as a tombstone, because its id is taken for ever. Its key and callback are wiped.
-- A live one is also the lane of its deliveries: claim_id and lease_until say which dispatcher works on it.
CREATE TABLE "subscription" (
    "internal_id"  UUID NOT NULL,
    "client_id"    UUID NOT NULL,
    "id"           TEXT NOT NULL,
    "sealed_key"   BYTEA NOT NULL,
    "callback_url" TEXT NOT NULL,
    "event_types"  TEXT[] NOT NULL,
    "status"       TEXT NOT NULL DEFAULT 'ACTIVE',
    "created_at"   TIMESTAMPTZ(3) NOT NULL,
    "claim_id"     UUID,
    "lease_until"  TIMESTAMPTZ(3),
    CONSTRAINT "subscription_pkey" PRIMARY KEY ("internal_id"),
    CONSTRAINT "subscription_id_form" CHECK ("id" ~ '^[A-Za-z0-9._~-]{1,64}$'),
    CONSTRAINT "subscription_status_known" CHECK ("status" IN ('ACTIVE', 'PAUSED', 'DELETED')),
    CONSTRAINT "subscription_wiped_when_deleted" CHECK (("status" = 'DELETED') = ("sealed_key" = '' AND "callback_url" = '')),
    CONSTRAINT "subscription_claimed_when_active" CHECK ("claim_id" IS NULL OR "status" = 'ACTIVE'),
    CONSTRAINT "subscription_lease_of_claim" CHECK (("claim_id" IS NULL) = ("lease_until" IS NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX "subscription_client_id_id_key" ON "subscription" ("client_id", "id");

-- Every event that was consumed, so that a repeated record makes nothing new.
CREATE TABLE "event" (
    "id"          UUID NOT NULL,
    "type"        TEXT NOT NULL,
    "time"        TIMESTAMPTZ(3) NOT NULL,
    "traceparent" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- One event for one subscription, with the very bytes that are signed and sent.
CREATE TABLE "delivery" (
    "id"              BIGINT GENERATED ALWAYS AS IDENTITY,
    "subscription_id" UUID NOT NULL,
    "event_id"        UUID NOT NULL,
    "body"            BYTEA NOT NULL,
    "status"          TEXT NOT NULL DEFAULT 'pending',
    "attempts"        SMALLINT NOT NULL DEFAULT 0,
    "due_at"          TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "finished_at"     TIMESTAMPTZ(3),
    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "delivery_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription" ("internal_id"),
    CONSTRAINT "delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event" ("id"),
    CONSTRAINT "delivery_status_known" CHECK ("status" IN ('pending', 'delivered', 'exhausted')),
    CONSTRAINT "delivery_finished" CHECK (("status" = 'pending') = ("finished_at" IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
CREATE UNIQUE INDEX "delivery_event_id_subscription_id_key" ON "delivery" ("event_id", "subscription_id");
-- The dispatcher walks it lane by lane, and within a lane by due time.
CREATE INDEX "delivery_due_idx" ON "delivery" ("subscription_id", "due_at", "id") WHERE "status" = 'pending';

-- What became of each POST. Never a body, neither way.
CREATE TABLE "attempt" (
    "delivery_id"  BIGINT NOT NULL,
    "number"       SMALLINT NOT NULL,
    "started_at"   TIMESTAMPTZ(3) NOT NULL,
    "milliseconds" INTEGER NOT NULL,
    "outcome"      TEXT NOT NULL,
    "http_status"  SMALLINT,
    CONSTRAINT "attempt_pkey" PRIMARY KEY ("delivery_id", "number"),
    CONSTRAINT "attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery" ("id") ON DELETE CASCADE,
    CONSTRAINT "attempt_outcome_known" CHECK ("outcome" IN ('accepted', 'rejected', 'timeout', 'unreachable', 'forbidden')),
    CONSTRAINT "attempt_status_of_answer" CHECK (("http_status" IS NOT NULL) = ("outcome" IN ('accepted', 'rejected')))
);
