export { certificateOf, liveCertificates } from './certificates.ts';
export {
  type ClientDirectory,
  type DirectoryCertificate,
  type DirectoryClient,
  openClientDirectory,
} from './client-directory.ts';
export {
  isRedirectUriOf,
  redirectDigests,
  redirectUriDigests,
  registeredExactly,
} from './redirect-digests.ts';
