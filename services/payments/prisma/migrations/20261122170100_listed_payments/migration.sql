-- A column and no index over the document: one over that would have to be written anew with every change of a draft.
ALTER TABLE draft ADD COLUMN listed_as text GENERATED ALWAYS AS (
  CASE WHEN content ->> 'kind' = 'single' AND content ->> 'status' <> 'CREATED' THEN content ->> 'paymentType' END
) STORED;
CREATE INDEX draft_listed_idx ON draft (client_id, listed_as, created_at, id) WHERE listed_as IS NOT NULL;
CREATE INDEX draft_listed_of_consent_idx ON draft (client_id, consent_id, listed_as, created_at, id)
  WHERE listed_as IS NOT NULL AND consent_id IS NOT NULL;
