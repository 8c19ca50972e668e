-- Events of which the deliveries of a client are made later: those of an organization that would get too many in one turn (ADR 113).
-- Rows come by thousands and go by parts: what is read next must not stand behind many that have gone.
CREATE TABLE "deferred_event" (
    "organization" TEXT NOT NULL,
    "event_time"   TIMESTAMPTZ(3) NOT NULL,
    "event_id"     UUID NOT NULL,
    "client_id"    UUID NOT NULL,
    "deliveries"   INTEGER NOT NULL,
    CONSTRAINT "deferred_event_pkey" PRIMARY KEY ("organization", "event_time", "event_id", "client_id")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
