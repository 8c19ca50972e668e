import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { loadServices } from '../services.ts';

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
  /** The file of what its handler calls. */
  useCase: string | undefined;
}

/** Lists every route of every service. */
export async function routesOfServices(root: string): Promise<ServiceRoute[]> {
  return (await loadServices(root)).flatMap(({ service, src }) => {
    const sources = routeSources(root, src);
    const addresses = Object.entries(service.entryPoints().routes) as [string, readonly IndexedRoute[]][];
    return addresses.flatMap(([address, routes]) =>
      routes.map((route) => {
        const source = sources.find(({ stripped }) => stripped.includes(declaredIn(route)[0]!.toString()));
        const useCase = source && useCaseOf(route, source);
        return { service: service.name, address, route, file: source?.file, useCase };
      }),
    );
  });
}

/** A file that declares routes. */
interface RouteSource {
  file: string;
  text: string;
  /** The source without types, which matches the functions of the running program. */
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

const IMPORT = /^import (?!type\b)\{([^}]*)\} from '(\.[^']+)';/gm;
const NO_USE_CASE = /\.(wire|routes|rpc|consumer)\.ts$|\/(texts|config|deps)\.ts$|\/gen\//;
const LAYER = /\.(model|repository|store)\.ts$/;

/** The first use case that a handler calls, of its own feature if possible; where it calls none, a repository or model. */
function useCaseOf(route: IndexedRoute, { file, text }: RouteSource): string | undefined {
  let reached = declaredIn(route).join('\n');
  // Functions of the same file that it calls, and those that these call.
  for (const _ of ['direct', 'indirect'])
    for (const [body, name] of text.matchAll(/^(?:async )?function (\w+)[^]*?^}/gm))
      if (new RegExp(String.raw`\b${name}\(`).test(reached)) reached += body;
  const files = [...text.matchAll(IMPORT)]
    .filter(([, names]) =>
      names!.split(',').some((name) => isNamed(name.trim().split(' as ').at(-1)!, reached)),
    )
    .map(([, , imported]) => join(dirname(file), imported!))
    .filter((path) => !NO_USE_CASE.test(path));
  const own = files.filter((path) => dirname(path) === dirname(file));
  const first = (some: readonly string[]): string | undefined => some.find((path) => !LAYER.test(path));
  return first(own) ?? own[0] ?? first(files) ?? files[0];
}

const isNamed = (name: string, text: string): boolean =>
  name !== '' && new RegExp(String.raw`\b${name}\b`).test(text);
