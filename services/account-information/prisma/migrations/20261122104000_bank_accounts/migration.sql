-- The bank feeds its accounts: of every kind, and closed ones (ADR 45).
ALTER TABLE "account"
  ADD COLUMN "opening_balance" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "closed_at" TIMESTAMPTZ(3),
  DROP CONSTRAINT "account_type_check",
  ADD CHECK (type ~ '^[A-Z_]{1,32}$');

-- What was not booked here was there before.
UPDATE "account" SET opening_balance = balance - coalesce(
  (SELECT sum(billing_amount) FROM "transaction" WHERE account_id = account.id AND status = 'financial'), 0);

-- Which accounts a client may use, and through which live consent: the one rule of ownership, for every query.
-- Accounts of other types and closed ones are never exposed (§1).
CREATE OR REPLACE VIEW account_access AS
  SELECT consent.client_id, consent.id AS consent_id, account.id AS account_id, consent.roles
  FROM consent
  JOIN consent_account ON consent_account.consent_id = consent.id
  JOIN account ON account.id = consent_account.account_id
  WHERE account.type = 'CHECKING'
    AND account.closed_at IS NULL
    AND consent.revoked_at IS NULL
    AND (consent.valid_until IS NULL OR consent.valid_until > now());
