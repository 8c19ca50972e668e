-- What a consent is for (ADR 40). Until now each opened its accounts to both roles.
ALTER TABLE "consent" ADD COLUMN "roles" TEXT[] NOT NULL DEFAULT '{PSP_AI,PSP_PI}'
  CHECK (cardinality(roles) > 0 AND roles <@ '{PSP_AI,PSP_PI}');
ALTER TABLE "consent" ALTER COLUMN "roles" DROP DEFAULT;

CREATE OR REPLACE VIEW account_access AS
  SELECT consent.client_id, consent.id AS consent_id, account.id AS account_id, consent.roles
  FROM consent
  JOIN consent_account ON consent_account.consent_id = consent.id
  JOIN account ON account.id = consent_account.account_id
  WHERE account.type = 'CHECKING'
    AND consent.revoked_at IS NULL
    AND (consent.valid_until IS NULL OR consent.valid_until > now());

DROP INDEX "consent_client_id_idx";
CREATE INDEX "consent_client_id_user_id_idx" ON "consent"("client_id", "user_id");
CREATE INDEX "consent_user_id_granted_at_id_idx" ON "consent"("user_id", "granted_at" DESC, "id" DESC);
CREATE INDEX "account_user_id_idx" ON "account"("user_id");
-- What has ended is kept for a while.
CREATE INDEX "consent_ended_idx" ON "consent" (least(revoked_at, valid_until));
