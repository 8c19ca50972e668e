-- Repetitions are compared by account, amount, currency and kind. A refusal is kept under its id (ADR 39).
ALTER TABLE "transaction"
  DROP COLUMN "content_hash",
  ADD COLUMN "authorized_amount" BIGINT,
  ADD COLUMN "refusal" TEXT CHECK (refusal IN ('FUNDS_INSUFFICIENT', 'VOIDED')),
  ADD CHECK (refusal IS NULL OR (status = 'declined' AND removed_at IS NOT NULL));
