-- The clients of an organization share a simulated bank, with its accounts and its clock. Rows without organization are of
-- the version before, which made accounts for each client: they keep working for its pods, and go when their client comes to
-- a pod of this version or is deleted.
CREATE TABLE "sandbox_bank" (
    "organization" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "clock_offset_ms" BIGINT NOT NULL DEFAULT 0 CHECK (clock_offset_ms >= 0),

    CONSTRAINT "sandbox_bank_pkey" PRIMARY KEY ("organization")
);

ALTER TABLE "sandbox_client" ADD COLUMN "organization" TEXT;
ALTER TABLE "sandbox_account" ADD COLUMN "organization" TEXT, ALTER COLUMN "client_id" DROP NOT NULL;
ALTER TABLE "sandbox_due" ADD COLUMN "organization" TEXT, ALTER COLUMN "client_id" DROP NOT NULL;

CREATE INDEX "sandbox_client_organization_idx" ON "sandbox_client"("organization");
CREATE INDEX "sandbox_account_organization_idx" ON "sandbox_account"("organization");
CREATE INDEX "sandbox_due_organization_idx" ON "sandbox_due"("organization");

ALTER TABLE "sandbox_client" ADD CONSTRAINT "sandbox_client_organization_fkey" FOREIGN KEY ("organization")
  REFERENCES "sandbox_bank"("organization") ON DELETE SET NULL ON UPDATE CASCADE NOT VALID;
ALTER TABLE "sandbox_account" ADD CONSTRAINT "sandbox_account_organization_fkey" FOREIGN KEY ("organization")
  REFERENCES "sandbox_bank"("organization") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;

-- The moment on an account's clock, which is that of its bank. \x3b is a semicolon, at which the statements here are told apart.
CREATE OR REPLACE FUNCTION account_clock(account uuid) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS
  E'BEGIN RETURN clock_timestamp() + coalesce((
      SELECT coalesce(sandbox_bank.clock_offset_ms, sandbox_client.clock_offset_ms) FROM sandbox_account
      LEFT JOIN sandbox_bank ON sandbox_bank.organization = sandbox_account.organization
      LEFT JOIN sandbox_client ON sandbox_client.client_id = sandbox_account.client_id
      WHERE account_id = account), 0)
    * interval ''1 millisecond''\x3b END';
