-- Decisions about requests that the client itself has pushed are counted apart from those that anybody can make.
ALTER TABLE "authorization_decision" ADD COLUMN "is_pushed" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "authorization_decision_waiting_apart" ON "authorization_decision"("client_id", "is_pushed", "decided_at") WHERE "redeemed_at" IS NULL;
DROP INDEX "authorization_decision_waiting";
