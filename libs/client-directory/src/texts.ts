import { defineTexts } from '@kontoport/errors';

/** What is said while nobody knows which clients live. */
export const DIRECTORY_TEXTS = defineTexts({
  silent: 'Client access cannot be verified at the moment; repeat the request later.',
});
