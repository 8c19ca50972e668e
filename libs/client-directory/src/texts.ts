import { defineTexts } from '@kontoport/errors';

/** The message while the directory is not usable. */
export const DIRECTORY_TEXTS = defineTexts({
  silent: 'Client access cannot be verified at the moment; repeat the request later.',
});
