import type { EgressRule } from '@kontoport/egress';
import type { AdapterTable } from '@kontoport/service';
import type { Config } from './config.ts';

type CallbackRanges = Pick<Config, 'CALLBACK_LOOPBACK' | 'CALLBACK_ALLOW' | 'CALLBACK_DENY'>;

/** The differences between the environments of the webhook dispatcher. */
export interface Adapters {
  /** The addresses that callbacks may have: in production never loopback, whatever the configuration (§2.11). */
  callbacks: (config: CallbackRanges) => EgressRule;
}

/** One entry for each environment. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: { callbacks: (config) => ({ ...rangesOf(config), allowLoopback: config.CALLBACK_LOOPBACK }) },
  production: { callbacks: (config) => ({ ...rangesOf(config), allowLoopback: false }) },
};

const rangesOf = ({ CALLBACK_ALLOW: allow, CALLBACK_DENY: deny }: CallbackRanges) => ({ allow, deny });
