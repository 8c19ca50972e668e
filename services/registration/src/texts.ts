import { defineTexts } from '@kontoport/errors';

/** What registration says to a TPP, and to the services that watch its clients. */
export const TEXTS = defineTexts({
  'client-unknown': 'There is no such client for this certificate.',
  'role-not-held': 'The certificate does not hold the role {roles}.',
  'role-not-registered': 'The client is not registered for the role {roles} of this certificate.',
  'organization-other':
    'The certificate was issued to another organization (organizationIdentifier) than the client belongs to.',
  'chains-too-many': 'A client has at most {most} certificates that have not ended.',
  'pem-private-key': 'This contains a private key; replace the key, and send only certificates.',
  'pem-request': 'This is a certificate request (CSR); send the certificate that the issuer made from it.',
  'pem-too-many': 'The chain has more than {most} certificates.',
  'pem-invalid': 'This is no chain of certificates in PEM with its line breaks.',
  'name-unbacked': 'No certificate chain of the client that has not ended backs this display name.',
  'request-id-used':
    'This X-Request-ID was used for another registration; repeat that body or choose a new id.',
  'clients-too-many': 'An organization has at most {most} clients; delete one first.',
  'deleted-too-many': 'The organization has {most} deleted clients already; the oldest goes in {seconds} s.',
  'registrations-too-many': 'The organization registers too often; repeat the request in {seconds} s.',
  'changes-too-many':
    'More than {most} changes of the organization are under way; repeat the request in a second.',
  'redirects-too-many': 'A client has at most {most} redirect URIs.',
  'redirects-too-long': 'The redirect URIs of a client have at most {most} characters in all.',
  'revoked-tokens-too-many':
    'A client has at most {most} revoked tokens that have not ended; repeat the request in {seconds} s.',
  'token-unnamed': 'A revoked token needs the UUID of its client, its id and its end.',
  'replica-closing': 'This replica is closing.',
  'watcher-unnamed': 'A watcher needs a UUID and the name of its service.',
  'watcher-silent': 'The watcher is silent; watch again.',
  'watcher-slow': 'The watcher reads too slowly; watch again.',
  'too-long': 'is longer than {most} characters',
  'control-characters': 'contains control characters',
  empty: 'is empty',
  'role-unknown': 'is neither PSP_AI nor PSP_PI',
  'roles-none': 'needs at least one role',
  'roles-twice': 'contains a role twice',
  'uris-none': 'needs at least one URI',
  'uris-twice': 'contains a URI twice',
  'uri-not-absolute': 'is not an absolute https URI',
  'uri-user': 'must not carry user information',
  'uri-fragment': 'must not carry a fragment',
  'uri-host': 'does not name a plain host',
  'uri-http': 'must use https; http is for localhost during development only',
  'uri-https': 'must use https',
});
