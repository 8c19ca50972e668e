-- A version from before the column was written by hand leaves it out: it gets its key here, so that one key stands for one basket
-- also while both run, and after a way back. \x3b is a semicolon, at which Prisma tells statements apart.
CREATE FUNCTION keep_initiation_key() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    NEW.initiation_key := NEW.content #>> ''{initiatedBy,key}''\x3b
    UPDATE basket SET initiation_key = NULL
    WHERE client_id = NEW.client_id AND initiation_key = NEW.initiation_key
      AND (created_at <= NEW.created_at - interval ''24 hours'' OR lapses_at <= NEW.created_at)\x3b
    RETURN NEW\x3b
  END';
CREATE TRIGGER basket_keeps_initiation_key BEFORE INSERT ON basket FOR EACH ROW
  WHEN (NEW.initiation_key IS NULL AND NEW.content #>> '{initiatedBy,key}' IS NOT NULL)
  EXECUTE FUNCTION keep_initiation_key();
