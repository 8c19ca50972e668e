-- CreateTable
CREATE TABLE "sandbox_client" (
    "client_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sandbox_client_pkey" PRIMARY KEY ("client_id")
);

-- Until now a client had its copy as soon as it had a consent.
INSERT INTO "sandbox_client" ("client_id", "created_at")
  SELECT client_id, min(granted_at) FROM consent GROUP BY client_id;
