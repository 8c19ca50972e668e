import { join } from 'node:path';
import { EDGE_ADDRESSES, EDGE_ROUTES, type EdgeAddress, upstreamsFor } from '@kontoport/edge/routes';
import { addressOf } from '@kontoport/service/addresses';
import { routesOfServices, type ServiceRoute } from '../index/service-routes.ts';

const routes = await routesOfServices(join(import.meta.dirname, '../../..'));

/** The listener that answers a route; auth has one of its own for the bank's users. */
const upstreamOf = ({ service, address }: ServiceRoute): string =>
  address === 'user_url' ? 'user' : service;

const edgeAddressOf = ({ address }: ServiceRoute): EdgeAddress =>
  EDGE_ADDRESSES.find((name) => `${name}_url` === address)!;

describe("every route of every service's app() through the edge's table (§4)", () => {
  it('finds the routes of all services', () => {
    expect(new Set(routes.map(upstreamOf))).toEqual(new Set(EDGE_ROUTES.map(({ upstream }) => upstream)));
  });

  it.each(
    routes.map((found) => [found.address, `${found.route.method} ${found.route.path}`, found] as const),
  )('%s %s is behind exactly one row, that of its service', (_address, _name, found) => {
    const path = found.route.path.replaceAll(/:\w+/g, '5f0c6a4e-0000-4000-8000-000000000000');
    const targets = found.address === 'base_url' ? [path, `/aisp-pisp${path}`] : [path];
    expect(targets.map((target) => upstreamsFor(edgeAddressOf(found), target))).toEqual(
      targets.map(() => [upstreamOf(found)]),
    );
  });

  it.each(
    routes
      .filter(
        ({ route: { path } }) =>
          !/^\/(documentation|guides|errors|openapi\.json|llms\.txt)?(\/|$)/.test(path),
      )
      .map(({ address, route }) => [`${route.method} ${route.path}`, address, route.path] as const),
  )('%s is known as a path of %s', (_name, address, path) => {
    expect(addressOf(path)).toBe(address);
  });
});
