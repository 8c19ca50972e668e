/** Addresses that TPPs and users call, by their name in the specification. */
export type EdgeAddress = 'base' | 'registration' | 'auth' | 'user';

export const SERVICES = [
  'registration',
  'auth',
  'account-information',
  'payments',
  'webhook-dispatcher',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Every path under the base address answers with and without it (specification §4). */
const OPTIONAL_PREFIX = '/aisp-pisp';

const BASE_ROUTES: readonly { prefix: string; service: ServiceName }[] = [
  { prefix: '/accounts', service: 'account-information' },
  { prefix: '/v2/accounts', service: 'account-information' },
  { prefix: '/funds-confirmation', service: 'account-information' },
  { prefix: '/payments', service: 'payments' },
  { prefix: '/polling', service: 'payments' },
  { prefix: '/v1/webhook-subscriptions', service: 'webhook-dispatcher' },
];

const WHOLE_ADDRESS: Record<Exclude<EdgeAddress, 'base'>, ServiceName> = {
  registration: 'registration',
  auth: 'auth',
  user: 'auth',
};

const isUnder = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The service behind an address and a request target (`/path?query`); nothing when no service has the path. */
export function serviceFor(address: EdgeAddress, target: string): ServiceName | undefined {
  if (!target.startsWith('/')) return undefined;
  if (address !== 'base') return WHOLE_ADDRESS[address];
  const [path = ''] = target.split('?', 1);
  const plain = isUnder(path, OPTIONAL_PREFIX) ? path.slice(OPTIONAL_PREFIX.length) : path;
  return BASE_ROUTES.find(({ prefix }) => isUnder(plain, prefix))?.service;
}
