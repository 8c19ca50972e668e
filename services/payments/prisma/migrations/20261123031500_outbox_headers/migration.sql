ALTER TABLE outbox ALTER COLUMN headers TYPE json;
