-- PostgreSQL plans the check of a foreign key once per connection: on the small tables of a young database it reads them
-- through, and goes on doing so when they have grown. Nothing deletes a subscription or an event, and what deletes a
-- delivery deletes its attempts.
ALTER TABLE "delivery" DROP CONSTRAINT "delivery_subscription_id_fkey", DROP CONSTRAINT "delivery_event_id_fkey";
ALTER TABLE "attempt" DROP CONSTRAINT "attempt_delivery_id_fkey";
