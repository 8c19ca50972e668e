import { defineTexts } from '@kontoport/errors';

/** Messages to TPPs, and to the services that watch clients. */
export const TEXTS = defineTexts({
  'client-unknown': 'There is no such client for this certificate.',
  'role-not-held': 'The certificate does not hold the role {roles}.',
  'role-not-registered': 'The client is not registered for the role {roles} of this certificate.',
  'organization-other':
    'The certificate was issued to another organization (organizationIdentifier) than the client belongs to.',
  'chains-too-many': 'A client has at most {most} certificates that have not expired.',
  'pem-private-key': 'This contains a private key; replace the key, and send only certificates.',
  'pem-request': 'This is a certificate request (CSR); send the certificate that the issuer made from it.',
  'pem-too-many': 'The chain has more than {most} certificates.',
  'pem-invalid': 'This is not a chain of PEM certificates with line breaks.',
  'name-unbacked': 'No valid certificate chain of the client contains this display name.',
  'request-id-used':
    'This X-Request-ID was used for another registration; repeat that body or choose a new id.',
  'clients-too-many': 'An organization has at most {most} clients; delete one first.',
  'deleted-too-many':
    'The organization already has {most} deleted clients; the oldest is removed in {seconds} s.',
  'registrations-too-many': 'The organization registers too often; repeat the request in {seconds} s.',
  'changes-too-many':
    'More than {most} changes of the organization are in progress; repeat the request in a second.',
  'redirects-too-many': 'A client has at most {most} redirect URIs.',
  'redirects-too-long': 'The redirect URIs of a client have at most {most} characters in total.',
  'revoked-tokens-too-many':
    'A client has at most {most} revoked tokens that have not expired; repeat the request in {seconds} s.',
  'token-unnamed': 'A revoked token needs the UUID of its client, its id and its expiry.',
  'replica-closing': 'This replica is closing.',
  'watcher-unnamed': 'A watcher needs a UUID and the name of its service.',
  'watcher-silent': 'The watcher sent no heartbeat; watch again.',
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
