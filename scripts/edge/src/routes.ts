// Which service is behind which address and path.

/** Addresses that TPPs and users call, by their name in the specification. */
export type EdgeAddress = 'base' | 'registration' | 'auth' | 'user';

/** The services behind the edge; each is a folder under `services/`. */
export const SERVICES = [
  'registration',
  'auth',
  'account-information',
  'payments',
  'webhook-dispatcher',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Which service has which paths under the base address. */
const BASE_ROUTES: readonly { prefix: string; service: ServiceName }[] = [
  { prefix: '/accounts', service: 'account-information' },
  { prefix: '/v2/accounts', service: 'account-information' },
  { prefix: '/funds-confirmation', service: 'account-information' },
  { prefix: '/payments', service: 'payments' },
  { prefix: '/polling', service: 'payments' },
  { prefix: '/v1/webhook-subscriptions', service: 'webhook-dispatcher' },
];

/** The services that have an address to themselves. */
const WHOLE_ADDRESS: Record<Exclude<EdgeAddress, 'base'>, ServiceName> = {
  registration: 'registration',
  auth: 'auth',
  user: 'auth',
};

/** Every path under the base address answers with and without it (specification §4). */
const OPTIONAL_PREFIX = '/aisp-pisp';

const isUnder = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The service behind an address and a request target (`/path?query`); nothing when no service has the path. */
export function serviceFor(address: EdgeAddress, target: string): ServiceName | undefined {
  if (!target.startsWith('/')) return undefined;
  if (address !== 'base') return WHOLE_ADDRESS[address];
  const [path = ''] = target.split('?', 1);
  const plain = isUnder(path, OPTIONAL_PREFIX) ? path.slice(OPTIONAL_PREFIX.length) : path;
  return BASE_ROUTES.find(({ prefix }) => isUnder(plain, prefix))?.service;
}
