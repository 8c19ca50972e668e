import { defineTexts } from '@kontoport/errors';

/** What is said of a peer that does not answer, or not in our terms. */
export const GRPC_TEXTS = defineTexts({
  'peer-away': 'A part of the service does not respond; repeat the request later.',
  'bank-away': 'The bank does not respond; repeat the request later.',
  'upload-broken': 'The stream broke off, or took too long; nothing of it was kept.',
});
