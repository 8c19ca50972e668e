/**
 * The addresses that TPPs and the bank's users call, by their names in the interface (§4): the variable that holds the
 * port a service answers it on, and the prefixes under which each of its paths answers as well.
 */
export const ADDRESSES = {
  base_url: { port: 'HTTP_PORT', prefixes: ['/aisp-pisp'] },
  registration_url: { port: 'HTTP_PORT', prefixes: [] },
  auth_url: { port: 'HTTP_PORT', prefixes: [] },
  user_url: { port: 'USER_PORT', prefixes: [] },
} as const satisfies Record<string, { port: 'HTTP_PORT' | 'USER_PORT'; prefixes: readonly string[] }>;

/** An address by its name. */
export type Address = keyof typeof ADDRESSES;

/** The names of all addresses. */
export const ADDRESS_NAMES = Object.keys(ADDRESSES) as readonly Address[];
