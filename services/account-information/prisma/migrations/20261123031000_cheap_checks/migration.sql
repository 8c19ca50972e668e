-- The same rules without counted repetitions: every change of an account checks them all, and a posting is such a change.
ALTER TABLE "account"
  DROP CONSTRAINT "account_bban_check",
  ADD CONSTRAINT "account_bban_check" CHECK (octet_length(bban) BETWEEN 4 AND 34 AND bban ~ '^[0-9]*$'),
  DROP CONSTRAINT "account_iban_check",
  ADD CONSTRAINT "account_iban_check" CHECK (octet_length(iban) BETWEEN 8 AND 34 AND iban ~ '^[A-Z][A-Z][0-9][0-9][0-9A-Z]*$'),
  DROP CONSTRAINT "account_swift_check",
  ADD CONSTRAINT "account_swift_check" CHECK (octet_length(swift) IN (8, 11) AND swift ~ '^[A-Z0-9]*$'),
  DROP CONSTRAINT "account_type_check",
  ADD CONSTRAINT "account_type_check" CHECK (octet_length(type) BETWEEN 1 AND 32 AND type ~ '^[A-Z_]*$');
