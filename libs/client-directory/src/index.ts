export { type ClientDirectory, type DirectoryClient, openClientDirectory } from './client-directory.ts';
export { isRedirectUriOf, redirectDigests } from './redirect-digests.ts';
