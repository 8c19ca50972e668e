-- Which records of each partition were taken, so that those that were not can be told of (ADR 72). Its few rows are written with
-- every batch: they have room to stay where they are, and are cleaned up early.
CREATE TABLE "intake" (
    "topic"     TEXT NOT NULL,
    "partition" INTEGER NOT NULL,
    "taken"     int8multirange NOT NULL,
    "told"      int8multirange NOT NULL DEFAULT '{}'::int8multirange,
    CONSTRAINT "intake_pkey" PRIMARY KEY ("topic", "partition"),
    CONSTRAINT "intake_taken_something" CHECK (NOT isempty("taken"))
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
