-- Each write of a record draws a new version, also after a record was deleted and made again. The database draws it, so a write
-- of the version before, which does not know the column, counts too. \x3b is a semicolon, at which Prisma separates statements.
CREATE SEQUENCE record_version;
CREATE FUNCTION draw_record_version() RETURNS trigger LANGUAGE plpgsql AS
  E'BEGIN
    NEW.version := nextval(''record_version'')\x3b
    RETURN NEW\x3b
  END';

ALTER TABLE draft ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE draft ALTER COLUMN version SET DEFAULT nextval('record_version');
CREATE TRIGGER draft_version BEFORE UPDATE ON draft FOR EACH ROW EXECUTE FUNCTION draw_record_version();

ALTER TABLE basket ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE basket ALTER COLUMN version SET DEFAULT nextval('record_version');
CREATE TRIGGER basket_version BEFORE UPDATE ON basket FOR EACH ROW EXECUTE FUNCTION draw_record_version();

ALTER TABLE standing_order ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE standing_order ALTER COLUMN version SET DEFAULT nextval('record_version');
CREATE TRIGGER standing_order_version BEFORE UPDATE ON standing_order FOR EACH ROW EXECUTE FUNCTION draw_record_version();
