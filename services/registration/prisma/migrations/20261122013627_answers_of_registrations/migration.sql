-- What became of the answer with the secret. Those from before count as given: nobody can tell.
ALTER TABLE "registration_request" ADD COLUMN "answer" TEXT NOT NULL DEFAULT 'given',
ADD COLUMN "answered_at" TIMESTAMPTZ(3),
ADD CONSTRAINT "registration_request_answer_check" CHECK ("answer" IN ('pending', 'given', 'lost'));
