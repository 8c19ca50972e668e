import { defineTexts } from '@kontoport/errors';

/** Messages of the edge's own refusals. */
export const EDGE_TEXTS = defineTexts({
  'chain-too-large': 'The presented certificate chain is too large.',
  unreachable: 'The service is not reachable at the moment.',
  broken: 'The service ended the connection without an answer.',
  late: 'The service did not answer in time.',
  malformed: 'The request is not valid HTTP.',
  'headers-too-large': 'The headers are too large.',
  slow: 'The request did not arrive in time.',
});
