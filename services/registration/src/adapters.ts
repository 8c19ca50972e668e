import type { AdapterTable } from '@kontoport/service';

/** The settings of registration that differ between environments. */
export interface Adapters {
  /** Whether redirect URIs may be http on localhost: during development only (§2.1). */
  redirectUris: { loopbackHttp: boolean };
}

/** The settings of each environment. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: { redirectUris: { loopbackHttp: true } },
  production: { redirectUris: { loopbackHttp: false } },
};
