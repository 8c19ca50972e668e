-- What users attached to transactions (§2.4). The content is read in pieces: it lies outside of the row and is not packed.
CREATE TABLE "attachment" (
    "id" UUID NOT NULL,
    "transaction_id" UUID NOT NULL,
    "name" TEXT NOT NULL CHECK (name <> ''),
    "media_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL CHECK (size BETWEEN 1 AND 10000000),
    "digest" BYTEA NOT NULL CHECK (length(digest) = 32),
    "content" BYTEA NOT NULL CHECK (length(content) = size),

    CONSTRAINT "attachment_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "attachment" ALTER COLUMN "content" SET STORAGE EXTERNAL;
CREATE INDEX "attachment_transaction_id_idx" ON "attachment"("transaction_id");
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_transaction_id_fkey"
  FOREIGN KEY ("transaction_id") REFERENCES "transaction"("id") ON DELETE CASCADE ON UPDATE CASCADE;
