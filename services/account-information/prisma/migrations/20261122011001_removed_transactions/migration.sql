-- An authorization that failed stands in no list any more and stays readable by its id (§3.1). What is settled stays.
ALTER TABLE "transaction"
  ADD COLUMN "removed_at" TIMESTAMPTZ(3),
  ADD CHECK (removed_at IS NULL OR posting_time IS NULL);

-- The flat list (§4.3). What is passed over is counted in the index alone.
CREATE INDEX transaction_listed_idx ON transaction (account_id, transaction_time DESC, id DESC)
  WHERE removed_at IS NULL;

DROP INDEX transaction_pending_idx;
CREATE INDEX transaction_pending_idx ON transaction (account_id, transaction_time DESC, id DESC)
  WHERE status = 'authorization' AND removed_at IS NULL;
