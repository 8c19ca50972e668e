export { ConfigError } from './config-error.ts';
export { count, duration, flag, acceptedSecrets, key32, keys32, list, port, readConfig } from './config.ts';
export { type ErrorLog, reloadable, type Reloadable } from './reloadable.ts';
export { readSmallFile } from './read-file.ts';
export { type RawEnv, reloadableSecret, secret, secretVariables, crossFieldCheck } from './env-metadata.ts';
