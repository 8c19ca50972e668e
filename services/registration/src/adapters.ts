import type { AdapterTable } from '@kontoport/service';

/** What differs between the environments of registration. */
export interface Adapters {
  /** Whether redirect URIs may be http on localhost: during development only (§2.1). */
  redirectUris: { loopbackHttp: boolean };
}

/** What holds in which. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: { redirectUris: { loopbackHttp: true } },
  production: { redirectUris: { loopbackHttp: false } },
};
