-- What the keys of authorizations follow from, sealed: the service makes the one row when it starts.
CREATE TABLE "root_key" (
    "id" SMALLINT NOT NULL,
    "sealed" BYTEA NOT NULL,

    CONSTRAINT "root_key_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "root_key_one" CHECK ("id" = 1)
);
