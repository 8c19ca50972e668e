import { defineTexts } from '@kontoport/errors';

/** The gate's error messages. */
export const GATE_TEXTS = defineTexts({
  'certificate-missing':
    'No client certificate was presented; present the eIDAS QWAC with its chain in the TLS handshake.',
  'certificate-refused': 'The client certificate is refused.',
  'forwarded-refused': 'The forwarded client certificate is refused: {why}.',
  'not-from-edge': 'it was not handed over by the edge',
  'chain-alone': 'the chain stands without a certificate',
  'too-many-certificates': 'more than {most} certificates',
  'header-twice': 'the header stands more than once',
  'chain-too-large': 'the chain is too large',
  'another-format': 'it stands in a header that the edge does not use',
  'several-callers': 'the header names more than one caller',
  'not-the-form': 'the header does not have the agreed form',
  'client-too-fast': 'A client may make {most} requests in {window} seconds; go on in {seconds} seconds.',
  'organization-too-fast':
    'The clients of an organization may make {most} requests in {window} seconds together; go on in {seconds} seconds.',
  'fault-unknown':
    'The header X-Sandbox-Fault must be 429, 503, slow, or slow=N with N seconds from 1 to {most}.',
  'fault-busy':
    'An organization may have {most} slow requests at a time by X-Sandbox-Fault; repeat the request later.',
  'token-missing': 'There is no access token; send `Authorization: Bearer <ACCESS_TOKEN>`.',
  'token-malformed': 'The Authorization header is not `Bearer <ACCESS_TOKEN>`.',
  'token-invalid': 'The access token is not valid; obtain a new one.',
  'client-new': 'The client is not known here yet; repeat the request later.',
  'token-from-future': 'The access token is issued in the future; obtain a new one.',
  'token-expired': 'The access token has expired; obtain a new one.',
  'token-unverifiable': 'Access tokens cannot be verified at the moment; repeat the request later.',
  'token-of-another': 'The access token belongs to another client certificate.',
  'scope-missing': 'The access token does not carry the scope {scope}.',
  'role-missing': 'The presented certificate does not carry the role {scope}.',
});
