import type { ServiceIdentity } from '@kontoport/internal-tls';

/**
 * The addresses that TPPs and the bank's users call, by their names in the interface (§4): the variable with the port,
 * the prefixes that each path may have, the beginnings of its own paths, the form of refusals outside of routes
 * (default: JSON), and the allowed callers with internal TLS.
 */
export const ADDRESSES = {
  base_url: {
    port: 'HTTP_PORT',
    // §4: callers may use this prefix or none.
    prefixes: ['/aisp-pisp'],
    errors: undefined,
    callers: ['edge'],
    paths: [
      '/accounts',
      '/v2/accounts',
      '/funds-confirmation',
      '/payments',
      '/polling',
      '/sandbox',
      '/v1/webhook-subscriptions',
    ],
  },
  registration_url: {
    port: 'HTTP_PORT',
    prefixes: [],
    paths: ['/tpp', '/openapi'],
    errors: undefined,
    callers: ['edge'],
  },
  auth_url: {
    port: 'HTTP_PORT',
    prefixes: [],
    paths: ['/oauth2/token', '/oauth2/revoke', '/oauth2/par', '/.well-known'],
    errors: 'oauth',
    // The services fetch the keys of tokens here. Only the edge may forward certificates.
    callers: ['edge', 'registration', 'auth', 'account-information', 'payments', 'webhook-dispatcher'],
  },
  user_url: {
    port: 'USER_PORT',
    prefixes: [],
    paths: ['/approvals', '/oauth2/authorize', '/authorize', '/consents'],
    errors: 'html',
    callers: ['edge'],
  },
} as const satisfies Record<
  string,
  {
    port: 'HTTP_PORT' | 'USER_PORT';
    prefixes: readonly string[];
    paths: readonly string[];
    errors: 'oauth' | 'html' | undefined;
    callers: readonly ServiceIdentity[];
  }
>;

/** An address by its name. */
export type Address = keyof typeof ADDRESSES;

/** The names of all addresses. */
export const ADDRESS_NAMES = Object.keys(ADDRESSES) as readonly Address[];

/** Finds the address of a path by its beginning; undefined for an unknown path, or one that every address has. */
export function addressOf(path: string): Address | undefined {
  return ADDRESS_NAMES.find((name) => {
    const { prefixes, paths } = ADDRESSES[name];
    return ['', ...prefixes].some((prefix) =>
      paths.some((own) => path === prefix + own || path.startsWith(`${prefix}${own}/`)),
    );
  });
}
