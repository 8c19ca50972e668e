-- json and not jsonb: a record is kept as it was written and read as a whole.
CREATE TABLE draft (
  client_id    uuid NOT NULL,
  id           uuid NOT NULL,
  consent_id   uuid,
  organization text NOT NULL,
  created_at   timestamptz(3) NOT NULL,
  due_at       timestamptz(3),
  lapses_at    timestamptz(3),
  counted      boolean NOT NULL,
  content      json NOT NULL CHECK (json_typeof(content) = 'object'),
  PRIMARY KEY (client_id, id)
);
-- Whether anything is due, and what of each organization.
CREATE INDEX draft_due_idx ON draft (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX draft_turn_idx ON draft (organization, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX draft_lapse_idx ON draft (lapses_at) WHERE lapses_at IS NOT NULL;
CREATE INDEX draft_counted_idx ON draft (organization, client_id) WHERE counted;

CREATE TABLE basket (
  client_id      uuid NOT NULL,
  id             uuid NOT NULL,
  consent_id     uuid,
  organization   text NOT NULL,
  created_at     timestamptz(3) NOT NULL,
  due_at         timestamptz(3),
  lapses_at      timestamptz(3),
  counted        boolean NOT NULL,
  content        json NOT NULL CHECK (json_typeof(content) = 'object'),
  approval_id    text NOT NULL GENERATED ALWAYS AS (content ->> 'approvalId') STORED,
  initiation_key text GENERATED ALWAYS AS (content #>> '{initiatedBy,key}') STORED,
  PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX basket_approval_id_key ON basket (approval_id);
CREATE INDEX basket_initiation_idx ON basket (client_id, initiation_key, created_at DESC)
  WHERE initiation_key IS NOT NULL;
CREATE INDEX basket_due_idx ON basket (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX basket_turn_idx ON basket (organization, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX basket_lapse_idx ON basket (lapses_at) WHERE lapses_at IS NOT NULL;
CREATE INDEX basket_counted_idx ON basket (organization, client_id) WHERE counted;

CREATE TABLE basket_payment (
  payment_id uuid PRIMARY KEY,
  client_id  uuid NOT NULL,
  basket_id  uuid NOT NULL,
  FOREIGN KEY (client_id, basket_id) REFERENCES basket ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX basket_payment_client_id_basket_id_idx ON basket_payment (client_id, basket_id);

CREATE TABLE standing_order (
  client_id    uuid NOT NULL,
  id           uuid NOT NULL,
  consent_id   uuid,
  organization text NOT NULL,
  created_at   timestamptz(3) NOT NULL,
  due_at       timestamptz(3),
  lapses_at    timestamptz(3),
  counted      boolean NOT NULL,
  content      json NOT NULL CHECK (json_typeof(content) = 'object'),
  PRIMARY KEY (client_id, id)
);
CREATE INDEX standing_order_due_idx ON standing_order (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX standing_order_lapse_idx ON standing_order (lapses_at) WHERE lapses_at IS NOT NULL;
CREATE INDEX standing_order_counted_idx ON standing_order (organization, client_id) WHERE counted;

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
