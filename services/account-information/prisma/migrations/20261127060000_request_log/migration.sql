-- Unlogged: a crash of the server loses the log of the sandbox, and nothing else. Old rows leave as fast as new ones come.
CREATE UNLOGGED TABLE "logged_request" (
    "organization" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "request_id" TEXT NOT NULL,
    "client_id" UUID,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "milliseconds" INTEGER NOT NULL,
    "error_code" TEXT,
    "message" TEXT,

    CONSTRAINT "logged_request_pkey" PRIMARY KEY ("organization", "at", "id")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- For the deletion of old rows alone. With a B-tree the planner would search the rows of all organizations for those of one.
CREATE INDEX "logged_request_at_idx" ON "logged_request" USING BRIN ("at");
