import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServiceIdentity } from '@kontoport/internal-tls';

/** The part of a route that the index reads. */
export interface IndexedRoute {
  method: string;
  path: string;
  clause?: string | readonly string[];
  handler: RouteFunction & { wraps?: readonly (RouteFunction | undefined)[] };
  resource?: RouteFunction;
}

type RouteFunction = (...args: never) => unknown;

/** The functions that the file of a route declares: those that its handler wraps, or the handler itself. */
function declaredIn({ handler, resource }: IndexedRoute): RouteFunction[] {
  return [...(handler.wraps ?? [handler]), resource].filter((each) => each !== undefined);
}

/** A route of a service, and where it comes from. */
export interface ServiceRoute {
  service: string;
  /** The address that it is served at, such as `base_url`. */
  address: string;
  route: IndexedRoute;
  /** The file that declares it, from the repository's root; undefined when it is no file of routes. */
  file: string | undefined;
  /** What its handler calls: use cases, or where it has none the repository and rules themselves. */
  uses: readonly string[];
}

/** What `defineService` makes. */
interface Service {
  name: string;
  entryPoints(): {
    routes: Partial<Record<string, readonly IndexedRoute[]>>;
    rpcs?: readonly {
      definition: Readonly<Record<string, { path: string }>>;
      peers?: Readonly<Record<string, readonly ServiceIdentity[]>>;
    }[];
  };
}

/** Every route that every `services/<name>/src/service.ts` lists; nothing is opened. */
export async function routesOfServices(root: string): Promise<ServiceRoute[]> {
  const found: ServiceRoute[] = [];
  for (const serviceFile of globSync('services/*/src/service.ts', { cwd: root }).toSorted()) {
    const { name: service, entryPoints } = serviceOf(await import(join(root, serviceFile)), serviceFile);
    const sources = routeSources(root, dirname(serviceFile));
    for (const [address, routes = []] of Object.entries(entryPoints().routes))
      for (const route of routes) {
        const source = sources.find(({ stripped }) => stripped.includes(declaredIn(route)[0]!.toString()));
        const uses = source ? usesOf(route, source) : [];
        found.push({ service, address, route, file: source?.file, uses });
      }
  }
  return found;
}

/** The one service that a `service.ts` exports. */
export function serviceOf(exported: Record<string, unknown>, file: string): Service {
  const services = Object.values(exported).filter(
    (value) => typeof value === 'object' && value !== null && 'entryPoints' in value,
  );
  if (services.length !== 1) throw new Error(`${file} exports ${services.length} services, not one`);
  return services[0] as Service;
}

/** A file that declares routes. */
interface RouteSource {
  file: string;
  text: string;
  /** Without types, as the functions of the running program say it. */
  stripped: string;
}

/** The `.routes.ts` of a service, and what libs declare for all services. */
function routeSources(root: string, src: string): RouteSource[] {
  const files = [`${src}/**/*.routes.ts`, 'libs/*/src/*route*.ts'].flatMap((pattern) =>
    globSync(pattern, { cwd: root }).filter((file) => !file.endsWith('.test.ts')),
  );
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return { file, text, stripped: stripTypeScriptTypes(text) };
  });
}

const IMPORT = /^import (?!type\b)(?:\{([^}]*)\}) from '(\.[^']+)';/gm;
const LAYER = /\.(model|repository|wire|routes|rpc|consumer|store)\.ts$/;

function usesOf(route: IndexedRoute, { file: from, text: source }: RouteSource): string[] {
  const reached = reachedSource(declaredIn(route), source);
  const files = new Set<string>();
  for (const [, names = '', imported = ''] of source.matchAll(IMPORT)) {
    const known = names.split(',').map((name) => name.trim().split(' as ').at(-1)!);
    const isUsed = known.some((name) => name !== '' && new RegExp(String.raw`\b${name}\b`).test(reached));
    if (isUsed) files.add(join(dirname(from), imported));
  }
  const isPlace = (file: string): boolean => !/\/(texts|config|deps)\.ts$|\/gen\//.test(file);
  const all = [...files].filter(isPlace).toSorted();
  const useCases = all.filter((file) => !LAYER.test(file));
  return useCases.length > 0 ? useCases : all.filter((file) => /\.(repository|model|store)\.ts$/.test(file));
}

/** The text of functions, and of the functions of the same file that they call. */
function reachedSource(
  functions: readonly (((...args: never) => unknown) | undefined)[],
  source: string,
): string {
  const bodies = new Map(
    [...source.matchAll(/^(?:async )?function (\w+)[^]*?^}/gm)].map(([body, name]) => [name!, body]),
  );
  let text = functions.map((each) => each?.toString() ?? '').join('\n');
  const taken = new Set<string>();
  for (let grew = true; grew;) {
    grew = false;
    for (const [name, body] of bodies) {
      if (taken.has(name) || !new RegExp(String.raw`\b${name}\(`).test(text)) continue;
      taken.add(name);
      text += body;
      grew = true;
    }
  }
  return text;
}
