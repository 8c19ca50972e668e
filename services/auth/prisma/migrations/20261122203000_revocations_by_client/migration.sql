-- What waits of one client, found without what waits of others: by the octets of its id, for which no other index serves.
CREATE INDEX "token_family_to_revoke_by_client" ON "token_family"(uuid_send("client_id"), "revocation_due") WHERE "revocation_due" IS NOT NULL;

DROP INDEX "token_family_to_revoke";
