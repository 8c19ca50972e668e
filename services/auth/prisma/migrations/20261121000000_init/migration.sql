-- The key pairs that sign access tokens. At any time one key signs and its successor is already published.
CREATE TABLE "signing_key" (
    "kid" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private_jwk" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "active_from" TIMESTAMPTZ(3) NOT NULL,
    "retire_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("kid"),
    CONSTRAINT "signing_key_kid_is_a_thumbprint" CHECK ("kid" ~ '^[A-Za-z0-9_-]{43}$'),
    -- A private member in the published half would be served to everybody.
    CONSTRAINT "signing_key_public_jwk_is_public" CHECK (
        "public_jwk" @> '{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig"}'
        AND "public_jwk" ->> 'kid' = "kid"
        AND NOT "public_jwk" ? 'd'
    ),
    CONSTRAINT "signing_key_order" CHECK ("created_at" <= "active_from" AND "active_from" < "retire_at")
);

CREATE UNIQUE INDEX "signing_key_active_from_key" ON "signing_key"("active_from");

-- Only one key at a time has no successor.
CREATE UNIQUE INDEX "signing_key_one_newest" ON "signing_key"(("retire_at" IS NULL)) WHERE "retire_at" IS NULL;
