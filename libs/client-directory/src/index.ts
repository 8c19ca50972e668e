export { type ClientDirectory, type DirectoryClient, openClientDirectory } from './client-directory.ts';
