-- A subscription that is paused says since when and why. A streak of failures is what pauses it, beside a receiver that is gone.
ALTER TABLE "subscription"
    ADD COLUMN "paused_at"     TIMESTAMPTZ(3),
    ADD COLUMN "paused_reason" TEXT,
    ADD COLUMN "failures"      INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "failing_since" TIMESTAMPTZ(3),
    ADD COLUMN "tested_at"     TIMESTAMPTZ(3),
    ADD COLUMN "tests"         INTEGER NOT NULL DEFAULT 0;
UPDATE "subscription" SET "paused_at" = now(), "paused_reason" = 'GONE' WHERE "status" = 'PAUSED';
ALTER TABLE "subscription"
    ADD CONSTRAINT "subscription_paused_since" CHECK (("status" = 'PAUSED') = ("paused_at" IS NOT NULL)),
    ADD CONSTRAINT "subscription_paused_why" CHECK (("paused_at" IS NULL) = ("paused_reason" IS NULL)),
    ADD CONSTRAINT "subscription_reason_known" CHECK ("paused_reason" IN ('GONE', 'FAILURES')),
    ADD CONSTRAINT "subscription_failing_since" CHECK (("failures" = 0) = ("failing_since" IS NULL));
-- Those that fail, the longest first.
CREATE INDEX "subscription_failing_idx" ON "subscription" ("failing_since")
    WHERE "status" = 'ACTIVE' AND "failing_since" IS NOT NULL;

-- An event may be recorded long after its time: what came during a pause is told by when it was recorded. The clock is read
-- for each row, after the statement has seen which subscriptions are paused.
ALTER TABLE "event" ADD COLUMN "recorded_at" TIMESTAMPTZ(3);
UPDATE "event" SET "recorded_at" = "time";
ALTER TABLE "event"
    ALTER COLUMN "recorded_at" SET NOT NULL,
    ALTER COLUMN "recorded_at" SET DEFAULT clock_timestamp();
-- A replay walks a range of time, and before that what was recorded long after its time, which is nothing as a rule.
CREATE INDEX "event_time_idx" ON "event" ("time", "id");
CREATE INDEX "event_late_idx" ON "event" ("recorded_at", "id") WHERE ("recorded_at" - "time") > INTERVAL '10 minutes';

-- Events that become deliveries of a subscription once more, in steps.
CREATE TABLE "replay" (
    "id"              UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "client_id"       UUID NOT NULL,
    "cause"           TEXT NOT NULL,
    "status"          TEXT NOT NULL DEFAULT 'RUNNING',
    "phase"           TEXT NOT NULL,
    "waits_for"       TEXT[],
    "from_time"       TIMESTAMPTZ(3) NOT NULL,
    "to_time"         TIMESTAMPTZ(3) NOT NULL,
    "reached_time"    TIMESTAMPTZ(3),
    "reached_id"      UUID,
    "events"          INTEGER NOT NULL DEFAULT 0,
    "deliveries"      INTEGER NOT NULL DEFAULT 0,
    "started_at"      TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "finished_at"     TIMESTAMPTZ(3),
    "stepped_at"      TIMESTAMPTZ(3),
    "step_at"         TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "replay_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "replay_cause_known" CHECK ("cause" IN ('ASKED', 'RESUMED')),
    CONSTRAINT "replay_status_known" CHECK ("status" IN ('RUNNING', 'COMPLETED')),
    CONSTRAINT "replay_phase_known" CHECK ("phase" IN ('SETTLING', 'LATE', 'TIME')),
    CONSTRAINT "replay_finished" CHECK (("status" = 'RUNNING') = ("finished_at" IS NULL)),
    CONSTRAINT "replay_reached" CHECK (("reached_time" IS NULL) = ("reached_id" IS NULL))
) WITH (fillfactor = 80);
-- One of each cause at a time.
CREATE UNIQUE INDEX "replay_running_key" ON "replay" ("subscription_id", "cause") WHERE "status" = 'RUNNING';
CREATE INDEX "replay_client_idx" ON "replay" ("client_id") WHERE "status" = 'RUNNING';
CREATE INDEX "replay_subscription_idx" ON "replay" ("subscription_id", "started_at");
