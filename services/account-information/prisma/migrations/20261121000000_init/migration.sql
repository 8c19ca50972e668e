-- Amounts are whole minor units of the account's currency (§2.2, §2.3).
CREATE TABLE account (
  id                 uuid PRIMARY KEY,
  user_id            uuid NOT NULL,
  position           smallint NOT NULL,
  name               text NOT NULL CHECK (name <> ''),
  type               text NOT NULL CHECK (type IN ('CHECKING', 'SAVINGS')),
  currency           text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  bban               text NOT NULL CHECK (bban ~ '^[0-9]{4,34}$'),
  iban               text CHECK (iban ~ '^[A-Z]{2}[0-9]{2}[0-9A-Z]{4,30}$'),
  swift              text CHECK (swift ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$'),
  balance            bigint NOT NULL,
  reserved           bigint NOT NULL CHECK (reserved >= 0),
  credit_limit       bigint CHECK (credit_limit >= 0),
  available          bigint NOT NULL GENERATED ALWAYS AS (balance + coalesce(credit_limit, 0) - reserved) STORED,
  supports_payments  boolean NOT NULL,
  supports_transfers boolean NOT NULL,
  owner_name         text,
  usage              text CHECK (usage IN ('PRIVATE', 'ORGANISATION')),
  -- Of the newest posting. The next one is later: a page that was read never gains an earlier posting.
  last_posting_time  timestamptz(3)
);

-- A user's permission for a client to use accounts. Live until it is revoked or its time is over.
CREATE TABLE consent (
  id          uuid PRIMARY KEY,
  client_id   uuid NOT NULL,
  user_id     uuid NOT NULL,
  granted_at  timestamptz(3) NOT NULL,
  valid_until timestamptz(3) CHECK (valid_until > granted_at),
  revoked_at  timestamptz(3) CHECK (revoked_at >= granted_at)
);
CREATE INDEX consent_client_id_idx ON consent (client_id);

CREATE TABLE consent_account (
  consent_id uuid NOT NULL REFERENCES consent ON DELETE CASCADE ON UPDATE CASCADE,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (consent_id, account_id)
);
CREATE INDEX consent_account_account_id_idx ON consent_account (account_id);

-- Which accounts a client may use, and through which live consent: the one rule of ownership, for every query.
-- Savings accounts are never exposed (§1).
CREATE VIEW account_access AS
  SELECT consent.client_id, consent.id AS consent_id, account.id AS account_id
  FROM consent
  JOIN consent_account ON consent_account.consent_id = consent.id
  JOIN account ON account.id = consent_account.account_id
  WHERE account.type = 'CHECKING'
    AND consent.revoked_at IS NULL
    AND (consent.valid_until IS NULL OR consent.valid_until > now());

-- Transactions (§2.4). `details` holds the fields that are optional until present, in the contract's own shapes;
-- json and not jsonb: it is kept as written and goes into an answer as it is.
CREATE TABLE transaction (
  id                   uuid PRIMARY KEY,
  account_id           uuid NOT NULL REFERENCES account ON DELETE CASCADE ON UPDATE CASCADE,
  status               text NOT NULL CHECK (status IN (
                         'future', 'financial', 'authorization', 'interim', 'failed_authorization', 'declined',
                         'initiated', 'unknown')),
  type                 text NOT NULL CHECK (type IN (
                         'dkPaymentSlip', 'domesticCreditTransfer', 'card', 'direct-debit', 'unknown')),
  transaction_time     timestamptz(3) NOT NULL,
  posting_time         timestamptz(3),
  billing_amount       bigint NOT NULL,
  transaction_amount   bigint,
  transaction_currency text CHECK (transaction_currency ~ '^[A-Z]{3}$'),
  balance_after        bigint,
  title                text NOT NULL,
  details              json NOT NULL CHECK (json_typeof(details) = 'object'),
  -- SHA-256 of the posting as the ledger received it: the same id with other content is refused.
  content_hash         bytea CHECK (length(content_hash) = 32),
  CHECK ((transaction_amount IS NULL) = (transaction_currency IS NULL)),
  -- Only what is settled has a posting time (§3.1).
  CHECK ((posting_time IS NOT NULL) = (status = 'financial'))
);
-- The two queries of the V2 list (§4.3).
CREATE INDEX transaction_posted_idx ON transaction (account_id, posting_time DESC, id DESC)
  WHERE status = 'financial';
CREATE INDEX transaction_pending_idx ON transaction (account_id, transaction_time DESC, id DESC)
  WHERE status = 'authorization';

CREATE TABLE outbox (
  slot smallint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  headers jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (slot, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
