-- Those of its chains, with a blank between them: a look at each of a hundred thousand chains takes longer than all the rest
-- of a start. Null in rows from before this column.
ALTER TABLE "client" ADD COLUMN "thumbprints" TEXT;
