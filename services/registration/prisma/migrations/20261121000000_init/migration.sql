-- A registered TPP (§2.1). A deleted one stays as a tombstone without name, secret and redirect URIs.
CREATE TABLE "client" (
    "id" UUID NOT NULL,
    "name" TEXT,
    "display_name" TEXT,
    "roles" TEXT[] NOT NULL,
    "redirect_uris" TEXT[] NOT NULL,
    "organization_identifier" TEXT NOT NULL,
    "secret_hash" BYTEA,
    "revision" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "client_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "client_roles_check" CHECK (
        cardinality("roles") > 0 AND "roles" <@ ARRAY['PSP_AI', 'PSP_PI']
    ),
    CONSTRAINT "client_live_or_tombstone_check" CHECK (
        CASE WHEN "deleted_at" IS NULL
            THEN "name" IS NOT NULL AND "display_name" IS NOT NULL
                AND "secret_hash" IS NOT NULL AND octet_length("secret_hash") = 32
                AND cardinality("redirect_uris") > 0
            ELSE "name" IS NULL AND "display_name" IS NULL AND "secret_hash" IS NULL
                AND cardinality("redirect_uris") = 0
        END
    )
);

CREATE UNIQUE INDEX "client_revision_key" ON "client"("revision");

CREATE TABLE "certificate_chain" (
    "id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "thumbprint" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "certificate_chain_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "certificate_chain_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "client"("id")
        ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "certificate_chain_thumbprint_check" CHECK ("thumbprint" ~ '^[A-Za-z0-9_-]{43}$')
);

CREATE UNIQUE INDEX "certificate_chain_client_id_thumbprint_key"
    ON "certificate_chain"("client_id", "thumbprint");

CREATE TABLE "certificate" (
    "chain_id" UUID NOT NULL,
    "position" SMALLINT NOT NULL,
    "der" BYTEA NOT NULL,
    "thumbprint" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_key_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "serial_number" TEXT NOT NULL,
    "not_before" TIMESTAMPTZ(3) NOT NULL,
    "not_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "certificate_pkey" PRIMARY KEY ("chain_id","position"),
    CONSTRAINT "certificate_chain_id_fkey" FOREIGN KEY ("chain_id") REFERENCES "certificate_chain"("id")
        ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT "certificate_position_check" CHECK ("position" >= 0)
);

-- The number of the last change to any client. Its row is locked by each change until that commits, so the order of
-- the numbers is the order of the commits, without gaps.
CREATE TABLE "client_revision" (
    "only_row" BOOLEAN NOT NULL DEFAULT true,
    "revision" BIGINT NOT NULL,

    CONSTRAINT "client_revision_pkey" PRIMARY KEY ("only_row"),
    CONSTRAINT "client_revision_only_row_check" CHECK ("only_row")
);

INSERT INTO "client_revision" ("revision") VALUES (0);

-- What a POST /tpp with X-Request-ID led to, per organization of the certificate (idempotency).
CREATE TABLE "registration_request" (
    "organization_identifier" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "client_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "registration_request_pkey" PRIMARY KEY ("organization_identifier","request_id"),
    -- The id is claimed before the client is written.
    CONSTRAINT "registration_request_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "client"("id")
        ON DELETE RESTRICT ON UPDATE RESTRICT DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX "registration_request_created_at_idx" ON "registration_request"("created_at");

-- The replicas of all services that decide from their memory of the clients, with what they have acknowledged.
-- Logged like any table: a row lost in a crash would let a deletion be answered too early.
CREATE TABLE "watcher" (
    "watcher_id" UUID NOT NULL,
    "service" TEXT NOT NULL,
    "applied_revision" BIGINT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "watcher_pkey" PRIMARY KEY ("watcher_id")
) WITH (fillfactor = 50);
