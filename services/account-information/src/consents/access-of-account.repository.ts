/**
 * The rows of the view `account_access` that belong to one account, as an item of FROM: each is looked up by account
 * and consent, so that no plan reads the consents of others, also one that was made while there were none.
 * @param parameter of the statement, such as `$1`: the account's id
 */
export function accessOfAccount(parameter: string): string {
  return `(
  SELECT access.* FROM consent_account AS opened CROSS JOIN LATERAL (
    SELECT client_id, consent_id, roles FROM account_access
    WHERE account_id = opened.account_id AND consent_id = opened.consent_id OFFSET 0
  ) AS access WHERE opened.account_id = ${parameter}::uuid
) AS access`;
}

/**
 * A condition: a live consent opens the account to the caller, for the role.
 * @param parameters of the statement: the account, and what a `Caller` has
 */
export function isOpenTo(parameters: {
  account: string;
  client: string;
  consent: string;
  role: string;
}): string {
  const { account, client, consent, role } = parameters;
  return `EXISTS (
  SELECT FROM ${accessOfAccount(account)}
  WHERE client_id = ${client}::uuid AND (${consent}::uuid IS NULL OR consent_id = ${consent}::uuid)
    AND ${role}::text = ANY (roles))`;
}
