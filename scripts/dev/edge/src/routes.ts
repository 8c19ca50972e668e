// Which service is behind which address and path.
import { ADDRESSES, addressOf } from '@kontoport/service/addresses';

/** Addresses that TPPs and users call (contract §4), by their names without `_url`. */
export const EDGE_ADDRESSES = ['base', 'registration', 'auth', 'user'] as const;
export type EdgeAddress = (typeof EDGE_ADDRESSES)[number];

/** The listeners of the services; auth has one of its own for the bank's users. */
export const UPSTREAMS = [
  'registration',
  'auth',
  'user',
  'account-information',
  'payments',
  'webhook-dispatcher',
] as const;
export type UpstreamName = (typeof UPSTREAMS)[number];

/** Which listener has which paths, those beneath them included. */
export const EDGE_ROUTES: readonly {
  readonly address: EdgeAddress;
  readonly prefix: string;
  readonly upstream: UpstreamName;
}[] = [
  { address: 'base', prefix: '/accounts', upstream: 'account-information' },
  { address: 'base', prefix: '/v2/accounts', upstream: 'account-information' },
  { address: 'base', prefix: '/funds-confirmation', upstream: 'account-information' },
  { address: 'base', prefix: '/sandbox', upstream: 'account-information' },
  { address: 'base', prefix: '/payments', upstream: 'payments' },
  { address: 'base', prefix: '/polling', upstream: 'payments' },
  { address: 'base', prefix: '/v1/webhook-subscriptions', upstream: 'webhook-dispatcher' },
  { address: 'base', prefix: '/documentation', upstream: 'account-information' },
  { address: 'base', prefix: '/openapi.json', upstream: 'account-information' },
  { address: 'base', prefix: '/errors', upstream: 'account-information' },
  { address: 'base', prefix: '/', upstream: 'account-information' },
  { address: 'registration', prefix: '', upstream: 'registration' },
  { address: 'auth', prefix: '', upstream: 'auth' },
  { address: 'user', prefix: '', upstream: 'user' },
];

/** Every path under the base address answers with and without it (contract §4). */
const [OPTIONAL_PREFIX] = ADDRESSES.base_url.prefixes;

/** Beneath `/` itself is everything, which no row means. */
const isUnder = (path: string, prefix: string): boolean =>
  path === prefix || (prefix !== '/' && path.startsWith(`${prefix}/`));

/** Every listener that has the path of a request target (`/path?query`): one, or none. */
export function upstreamsFor(address: EdgeAddress, target: string): readonly UpstreamName[] {
  if (!target.startsWith('/')) return [];
  const [path = ''] = target.split('?', 1);
  const plain =
    address === 'base' && isUnder(path, OPTIONAL_PREFIX) ? path.slice(OPTIONAL_PREFIX.length) || '/' : path;
  return EDGE_ROUTES.filter((row) => row.address === address && isUnder(plain, row.prefix)).map(
    ({ upstream }) => upstream,
  );
}

/** The listener behind an address and a request target; nothing when no service has the path. */
export function upstreamFor(address: EdgeAddress, target: string): UpstreamName | undefined {
  return upstreamsFor(address, target)[0];
}

/** The name of the address that has the path of a request target, for whoever asked at one that has not. */
export function elsewhere(target: string): string | undefined {
  return addressOf(target.split('?', 1)[0]!);
}
