// The service behind each address and path.
import { ADDRESSES } from '@kontoport/service/addresses';

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

/** The paths of each listener, those beneath them included. */
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
  { address: 'base', prefix: '/guides', upstream: 'account-information' },
  { address: 'base', prefix: '/openapi.json', upstream: 'account-information' },
  { address: 'base', prefix: '/llms.txt', upstream: 'account-information' },
  { address: 'base', prefix: '/errors', upstream: 'account-information' },
  { address: 'base', prefix: '/', upstream: 'account-information' },
  { address: 'registration', prefix: '', upstream: 'registration' },
  { address: 'auth', prefix: '', upstream: 'auth' },
  { address: 'user', prefix: '', upstream: 'user' },
];

/** Every path under the base address answers with and without it (contract §4). */
const [OPTIONAL_PREFIX] = ADDRESSES.base_url.prefixes;

/** `/` means itself alone: everything is beneath it. */
const isUnder = (path: string, prefix: string): boolean =>
  path === prefix || (prefix !== '/' && path.startsWith(`${prefix}/`));

/** Returns every listener that has the path of a request target (`/path?query`): one, or none. */
export function upstreamsFor(address: EdgeAddress, target: string): readonly UpstreamName[] {
  if (!target.startsWith('/')) return [];
  const [path = ''] = target.split('?', 1);
  const plain =
    address === 'base' && isUnder(path, OPTIONAL_PREFIX) ? path.slice(OPTIONAL_PREFIX.length) || '/' : path;
  return EDGE_ROUTES.filter((row) => row.address === address && isUnder(plain, row.prefix)).map(
    ({ upstream }) => upstream,
  );
}
