-- What users have decided about authorization requests, for as long as the answer may be given again.
CREATE TABLE "authorization_decision" (
    "authorization_id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "outcome" TEXT NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "code_challenge" TEXT NOT NULL,
    "consent_id" UUID,
    "user_id" UUID,
    "account_ids" UUID[] NOT NULL,
    "roles" TEXT[] NOT NULL,
    "valid_until" TIMESTAMPTZ(3),
    "decided_at" TIMESTAMPTZ(3) NOT NULL,
    "redeemed_at" TIMESTAMPTZ(3),

    CONSTRAINT "authorization_decision_pkey" PRIMARY KEY ("authorization_id"),
    CONSTRAINT "authorization_decision_outcome" CHECK ("outcome" IN ('APPROVED', 'REFUSED')),
    -- A refusal gives nothing that could be redeemed.
    CONSTRAINT "authorization_decision_gives" CHECK (
        ("outcome" = 'APPROVED') = ("consent_id" IS NOT NULL)
        AND ("outcome" = 'APPROVED') = ("user_id" IS NOT NULL)
        AND ("outcome" = 'APPROVED') = ("valid_until" IS NOT NULL)
        AND ("outcome" = 'APPROVED') = (cardinality("account_ids") > 0)
        AND ("outcome" = 'APPROVED') = (cardinality("roles") > 0)
        AND ("outcome" = 'APPROVED' OR "redeemed_at" IS NULL)
    ),
    CONSTRAINT "authorization_decision_challenge" CHECK ("code_challenge" ~ '^[A-Za-z0-9_-]{43}$')
);

CREATE INDEX "authorization_decision_decided_at_idx" ON "authorization_decision"("decided_at");

-- Those of a client that nobody has redeemed, of which the oldest give way.
CREATE INDEX "authorization_decision_waiting" ON "authorization_decision"("client_id", "decided_at") WHERE "redeemed_at" IS NULL;

-- What a redeemed code gave: a chain of refresh tokens, and the access tokens under it.
CREATE TABLE "token_family" (
    "id" UUID NOT NULL,
    "client_id" UUID NOT NULL,
    "consent_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "roles" TEXT[] NOT NULL,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "rotated_at" TIMESTAMPTZ(3),
    "rotated_over" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "access_until" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "revocation_due" TIMESTAMPTZ(3),
    "forget_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "token_family_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "token_family_generation" CHECK ("generation" > 0),
    CONSTRAINT "token_family_roles" CHECK (cardinality("roles") > 0),
    CONSTRAINT "token_family_rotation" CHECK (("rotated_at" IS NULL) = ("rotated_over" IS NULL)),
    CONSTRAINT "token_family_order" CHECK ("created_at" <= "expires_at" AND "access_until" <= "expires_at"),
    -- Only what has ended is waited for to end everywhere.
    CONSTRAINT "token_family_revocation" CHECK ("revocation_due" IS NULL OR "ended_at" IS NOT NULL)
);

CREATE UNIQUE INDEX "token_family_consent_id_key" ON "token_family"("consent_id");

CREATE INDEX "token_family_client_id_idx" ON "token_family"("client_id");

CREATE INDEX "token_family_forget_at_idx" ON "token_family"("forget_at");

CREATE INDEX "token_family_to_revoke" ON "token_family"("revocation_due") WHERE "revocation_due" IS NOT NULL;
