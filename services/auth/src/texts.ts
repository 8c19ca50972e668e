import { defineTexts } from '@kontoport/errors';

/** The refusals of the token endpoint, for `error_description` and the log. */
export const TEXTS = defineTexts({
  'keys-unknown': 'Tokens cannot be issued at the moment; repeat the request later.',
  'credentials-missing':
    'There are no client credentials; send clientId and clientSecret as HTTP Basic authentication.',
  'credentials-refused': 'The client credentials are not valid for the presented client certificate.',
  'failures-of-client':
    'Too many failed client authentications over this certificate; repeat the request in {seconds} s.',
  'failures-of-organization':
    'Too many failed client authentications over the certificates of this organization; repeat the request in {seconds} s.',
  'credentials-malformed':
    'The Authorization header is not HTTP Basic authentication with the form-encoded clientId and clientSecret.',
  'credentials-in-body':
    'Client credentials in the body are not accepted; send them as HTTP Basic authentication.',
  'client-id-differs': 'The parameter client_id names another client than the credentials.',
  'grant-type-missing': 'The parameter grant_type is missing.',
  'grant-type-unsupported':
    'The grant types here are client_credentials, authorization_code and refresh_token.',
  'parameter-missing': 'The parameter {name} is missing.',
  'verifier-malformed':
    'The parameter code_verifier has 43 to 128 characters: letters, digits, hyphen, period, underscore and tilde.',
  'grant-invalid':
    'The code or refresh token is not valid for this client: it may have expired, been used or been revoked.',
  'token-missing': 'The parameter token is missing; send the access token or the refresh token.',
  'revocation-pending':
    'The refresh token has ended; its access tokens are being revoked. Repeat the request until it succeeds.',
  'no-role-held': 'The presented certificate holds none of the roles of the client.',
  'scope-not-held': 'The scope must be among the roles of client and certificate: {roles}.',
});
