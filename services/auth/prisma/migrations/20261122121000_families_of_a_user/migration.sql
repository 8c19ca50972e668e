-- The families of a user for a client that have not ended, of which the oldest give way.
CREATE INDEX "token_family_of_user" ON "token_family"("client_id", "user_id", "created_at") WHERE "ended_at" IS NULL;
