import { z } from 'zod';
import type { DescribedRoute } from './described-route.ts';
import { buildDocument, type OpenApiDocument } from './document.ts';
import type { EarlierVersion } from './interfaces.ts';

const nameOf = ({ method, path }: DescribedRoute): string => `${method} ${path}`;

/**
 * Describes an earlier version of an interface as the present one without its additions (§9.3). Undefined when the
 * routes do not serve that description.
 * @throws Error when the present version lacks an addition, or the description is not deprecated
 */
export function buildEarlierDocument(
  described: EarlierVersion,
  routes: readonly DescribedRoute[],
): OpenApiDocument | undefined {
  const { version, lacks } = described;
  const serving = routes.find(({ path }) => path === `/openapi/${version}.json`);
  if (serving === undefined) return undefined;
  const since = serving.deprecated?.since.toISOString().slice(0, 10);
  if (since === undefined) throw new Error(`${serving.path} is not deprecated`);
  for (const name of [...lacks.operations, ...Object.keys(lacks.members)])
    if (!routes.some((route) => nameOf(route) === name)) throw new Error(`there is no ${name}`);
  const kept = routes.filter((route) => !lacks.operations.includes(nameOf(route)));
  const description = `${described.description} Version ${version} is deprecated since ${since}; the present one is in \`/openapi.json\`.`;
  return buildDocument(
    { ...described, description },
    kept.map((route) => withoutMembers(route, lacks.members[nameOf(route)] ?? [])),
  );
}

function withoutMembers(route: DescribedRoute, members: readonly string[]): DescribedRoute {
  if (members.length === 0) return route;
  const { body } = route;
  const json = body?.json;
  if (!body?.json || !(json instanceof z.ZodObject) || members.some((name) => !(name in json.shape)))
    throw new Error(`${nameOf(route)} has no ${members.join(', ')}`);
  const keys = Object.fromEntries(members.map((name) => [name, true]));
  const kept = Object.entries(body.example as object).filter(([name]) => !members.includes(name));
  return {
    ...route,
    body: { ...body, json: json.omit(keys as never), example: Object.fromEntries(kept) },
  };
}
