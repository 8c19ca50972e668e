CREATE UNLOGGED TABLE request_usage (
  key text PRIMARY KEY,
  ends_at timestamptz(3) NOT NULL,
  requests bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
