-- A key stands for one basket of its client: who writes a second one is refused, and need not look before.
ALTER TABLE basket ALTER COLUMN initiation_key DROP EXPRESSION;
-- What is over frees its key.
UPDATE basket SET initiation_key = NULL
WHERE initiation_key IS NOT NULL AND (created_at <= now() - interval '24 hours' OR lapses_at <= now());
DROP INDEX basket_initiation_idx;
CREATE UNIQUE INDEX basket_initiation_key ON basket (client_id, initiation_key)
  WHERE initiation_key IS NOT NULL;
