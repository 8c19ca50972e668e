-- What happened and what became of it goes by whole days once it is old, and what is still to be sent stays a small table
-- (ADR 62). Nothing of the former tables is taken over: no release had them.
DROP TABLE "attempt";
DROP TABLE "delivery";
DROP TABLE "event";

-- Every event that was consumed, once, with all that is needed to send it again. Its time belongs to its id.
CREATE TABLE "event" (
    "id"          UUID NOT NULL,
    "time"        TIMESTAMPTZ(3) NOT NULL,
    "type"        TEXT NOT NULL,
    "audience"    UUID[] NOT NULL,
    "content"     TEXT NOT NULL,
    "traceparent" TEXT,
    CONSTRAINT "event_pkey" PRIMARY KEY ("id", "time")
) PARTITION BY RANGE ("time");

-- An event on its way to one subscription. What has ended is deleted here and stands in the log.
CREATE TABLE "delivery" (
    "subscription_id" UUID NOT NULL,
    "event_id"        UUID NOT NULL,
    "event_time"      TIMESTAMPTZ(3) NOT NULL,
    "due_at"          TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "attempts"        SMALLINT NOT NULL DEFAULT 0,
    "step"            SMALLINT NOT NULL DEFAULT 0,
    "made"            JSONB NOT NULL DEFAULT '[]',
    CONSTRAINT "delivery_pkey" PRIMARY KEY ("subscription_id", "event_time", "event_id"),
    CONSTRAINT "delivery_step_of_attempts" CHECK ("step" BETWEEN 0 AND "attempts"),
    CONSTRAINT "delivery_made_list" CHECK (jsonb_typeof("made") = 'array')
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- The dispatcher walks it lane by lane, and within a lane by due time.
CREATE INDEX "delivery_due_idx" ON "delivery" ("subscription_id", "due_at", "event_time");

-- What became of a delivery, with its attempts, in the order in which its owner reads it.
CREATE TABLE "delivery_log" (
    "subscription_id" UUID NOT NULL,
    "event_time"      TIMESTAMPTZ(3) NOT NULL,
    "event_id"        UUID NOT NULL,
    "status"          TEXT NOT NULL,
    "attempts"        SMALLINT NOT NULL,
    "made"            JSONB NOT NULL,
    "finished_at"     TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "delivery_log_pkey" PRIMARY KEY ("subscription_id", "event_time", "event_id"),
    CONSTRAINT "delivery_log_status_known" CHECK ("status" IN ('delivered', 'exhausted'))
) PARTITION BY RANGE ("event_time");
