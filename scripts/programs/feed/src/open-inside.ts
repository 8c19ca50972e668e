import { InputError } from '@kontoport/command';
import { ConfigError, readConfig } from '@kontoport/config';
import { type InternalTls, internalTlsConfig, openInternalTls } from '@kontoport/internal-tls';
import { createLogger } from '@kontoport/lifecycle';

/** Internal TLS as the bank, which feeds; nothing where no files are named. @throws InputError for unusable ones */
export function openInside(env: NodeJS.ProcessEnv): InternalTls | undefined {
  const logger = createLogger({ service: 'feed', level: 'silent' });
  try {
    return openInternalTls({ name: 'bank', config: readConfig(internalTlsConfig, env), logger });
  } catch (error) {
    throw error instanceof ConfigError ? new InputError(error.message) : error;
  }
}
