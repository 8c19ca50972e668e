-- What drives a client's simulated accounts: its clock, how much it has made, and when it was deleted (ADR 47).
ALTER TABLE "sandbox_client"
  ADD COLUMN "clock_offset_ms" BIGINT NOT NULL DEFAULT 0 CHECK (clock_offset_ms >= 0),
  ADD COLUMN "moved_at" TIMESTAMPTZ(3),
  ADD COLUMN "entries" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "entries_day" DATE,
  ADD COLUMN "entries_of_day" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "deleted_at" TIMESTAMPTZ(3),
  ADD COLUMN "swept_at" TIMESTAMPTZ(3) CHECK (swept_at >= deleted_at);
CREATE INDEX sandbox_client_deleted_idx ON sandbox_client (deleted_at) WHERE deleted_at IS NOT NULL AND swept_at IS NULL;
CREATE INDEX sandbox_client_swept_idx ON sandbox_client (swept_at) WHERE swept_at IS NOT NULL;
CREATE INDEX sandbox_client_moved_idx ON sandbox_client (moved_at, client_id) WHERE moved_at IS NOT NULL;

CREATE TABLE "sandbox_account" (
  "account_id" UUID NOT NULL,
  "client_id" UUID NOT NULL,
  CONSTRAINT "sandbox_account_pkey" PRIMARY KEY ("account_id")
);
CREATE INDEX "sandbox_account_client_id_idx" ON "sandbox_account" ("client_id");
ALTER TABLE "sandbox_account" ADD CONSTRAINT "sandbox_account_account_id_fkey"
  FOREIGN KEY ("account_id") REFERENCES "account" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sandbox_account" ADD CONSTRAINT "sandbox_account_client_id_fkey"
  FOREIGN KEY ("client_id") REFERENCES "sandbox_client" ("client_id") ON DELETE CASCADE ON UPDATE CASCADE;
-- A user of a copy is its client's alone, and every copy came with a consent of that user.
INSERT INTO "sandbox_account" ("account_id", "client_id")
  SELECT account.id, min(consent.client_id::text)::uuid FROM account
  JOIN consent ON consent.user_id = account.user_id
  JOIN sandbox_client ON sandbox_client.client_id = consent.client_id
  GROUP BY account.id;

-- Pending transactions that end by themselves: `ends_at` by the client's clock, `due_at` by ours. No foreign key: a row is
-- written before its transaction, so that none is left to wait for ever.
CREATE TABLE "sandbox_due" (
  "transaction_id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "client_id" UUID NOT NULL,
  "outcome" TEXT NOT NULL CHECK (outcome IN ('settle', 'fail')),
  "ends_at" TIMESTAMPTZ(3) NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "claimed_until" TIMESTAMPTZ(3),
  CONSTRAINT "sandbox_due_pkey" PRIMARY KEY ("transaction_id")
);
CREATE INDEX "sandbox_due_due_at_idx" ON "sandbox_due" ("due_at");
CREATE INDEX "sandbox_due_client_id_idx" ON "sandbox_due" ("client_id");

-- The time as a client of the sandbox has it, ours for everybody else. plpgsql keeps its plan, which an SQL function of
-- this kind makes anew with every statement. \x3b is a semicolon, at which the statements here are told apart.
CREATE FUNCTION client_now(client uuid) RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS
  E'BEGIN RETURN now() + coalesce((SELECT clock_offset_ms FROM sandbox_client WHERE client_id = client), 0)
    * interval ''1 millisecond''\x3b END';

-- The moment on an account's clock, and not that of the transaction, as accounts book in the order of their locks.
CREATE FUNCTION account_clock(account uuid) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS
  E'BEGIN RETURN clock_timestamp() + coalesce((
      SELECT clock_offset_ms FROM sandbox_account JOIN sandbox_client USING (client_id) WHERE account_id = account), 0)
    * interval ''1 millisecond''\x3b END';

-- Where the client's clock stood when the consent was given: it lasts as long by that clock as by ours.
ALTER TABLE "consent" ADD COLUMN "clock_offset_ms" BIGINT NOT NULL DEFAULT 0;

CREATE OR REPLACE VIEW account_access AS
  SELECT consent.client_id, consent.id AS consent_id, account.id AS account_id, consent.roles
  FROM consent
  JOIN consent_account ON consent_account.consent_id = consent.id
  JOIN account ON account.id = consent_account.account_id
  WHERE account.type = 'CHECKING'
    AND account.closed_at IS NULL
    AND consent.revoked_at IS NULL
    AND (consent.valid_until IS NULL OR consent.valid_until + consent.clock_offset_ms * interval '1 millisecond' > client_now(consent.client_id));

-- The flat list's, and whole: an account that goes must find what it holds, removed ones included.
DROP INDEX transaction_listed_idx;
CREATE INDEX transaction_listed_idx ON transaction (account_id, transaction_time DESC, id DESC) INCLUDE (removed_at);
