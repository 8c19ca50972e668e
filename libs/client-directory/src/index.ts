export { type ClientDirectory, openClientDirectory } from './client-directory.ts';
export { deletedClientsLoop } from './deleted-clients.ts';
export { certificateOf, type DirectoryClient } from './directory-client.ts';
export {
  isRedirectUriOf,
  redirectDigests,
  redirectUriDigests,
  registeredExactly,
} from './redirect-digests.ts';
