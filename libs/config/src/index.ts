export { ConfigError } from './config-error.ts';
export { count, duration, flag, heardSecrets, key32, keys32, list, port, readConfig } from './config.ts';
export { type ErrorLog, live, type LiveValue } from './live.ts';
export { readSmallFile } from './read-file.ts';
export { type Given, liveSecret, secret, secretsOf, together } from './traits.ts';
