import type { EgressRule } from '@kontoport/egress';
import type { AdapterTable } from '@kontoport/service';
import type { Config } from './config.ts';

/** What differs between the environments of the webhook dispatcher. */
export interface Adapters {
  /** Where callbacks may lead: in production to public addresses only, whatever the configuration says (§2.11). */
  callbacks: (config: Pick<Config, 'CALLBACK_LOOPBACK'>) => EgressRule;
}

/** What holds in which. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: { callbacks: (config) => ({ allowLoopback: config.CALLBACK_LOOPBACK }) },
  production: { callbacks: () => ({ allowLoopback: false }) },
};
