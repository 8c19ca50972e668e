import { defineTexts } from '@kontoport/errors';

/** Messages for a peer that does not answer as specified. */
export const GRPC_TEXTS = defineTexts({
  'peer-away': 'A part of the service does not respond; repeat the request later.',
  'bank-away': 'The bank does not respond; repeat the request later.',
  'upload-broken': 'The stream broke off, or took too long; nothing of it was kept.',
});
