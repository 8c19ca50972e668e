import { BASE_ROUTES, type EdgeAddress, type ServiceName, WHOLE_ADDRESS } from './services.ts';

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
