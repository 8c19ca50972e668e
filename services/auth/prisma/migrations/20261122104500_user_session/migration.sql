-- Users of the bank who are logged in at a browser, by the SHA-256 of the secret in its cookie.
CREATE TABLE "user_session" (
    "id_hash" BYTEA NOT NULL,
    "client_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_session_pkey" PRIMARY KEY ("id_hash"),
    CONSTRAINT "user_session_id_hash" CHECK (length("id_hash") = 32)
);

CREATE INDEX "user_session_client_id_expires_at_idx" ON "user_session"("client_id", "expires_at");

CREATE INDEX "user_session_expires_at_idx" ON "user_session"("expires_at");
