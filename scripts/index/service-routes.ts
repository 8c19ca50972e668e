import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The part of a route that the index reads. */
export interface IndexedRoute {
  method: string;
  path: string;
  clause?: string | readonly string[];
  handler: (...args: never) => unknown;
  resource?: (...args: never) => unknown;
}

/** A route of a service's `app()`, and where it comes from. */
export interface ServiceRoute {
  service: string;
  route: IndexedRoute;
  /** The `.routes.ts` that declares it, from the repository's root; undefined when none does. */
  file: string | undefined;
  /** What its handler calls: use cases, or where it has none the repository and rules themselves. */
  uses: readonly string[];
}

/** Stands for any dependency: whatever is asked of it, it hands back itself, and nothing happens. */
export const inert: unknown = new Proxy(() => undefined, {
  get(_target, key) {
    if (key === 'then') return undefined;
    if (key === Symbol.toPrimitive) return () => 'inert';
    if (key === Symbol.iterator) return () => [].values();
    return inert;
  },
  apply: () => inert,
  construct: () => inert as object,
});

/** Every route of every `services/<name>/src/app.ts`, made with inert dependencies: nothing is opened. */
export async function routesOfServices(root: string): Promise<ServiceRoute[]> {
  const found: ServiceRoute[] = [];
  for (const appFile of globSync('services/*/src/app.ts', { cwd: root }).toSorted()) {
    const src = dirname(appFile);
    const service = dirname(src).split('/').at(-1)!;
    const { app } = (await import(join(root, appFile))) as { app: (deps: unknown) => { routes: unknown } };
    const declared = await declaredRoutes(root, src);
    for (const route of flatRoutes(app(inert).routes)) {
      const file = declared.get(`${route.method} ${route.path}`);
      found.push({
        service,
        route,
        file,
        uses: file === undefined ? [] : usesOf(route, { root, file, src }),
      });
    }
  }
  return found;
}

/** Routes as one list, whether an app has them in one or by address. */
function flatRoutes(routes: unknown): IndexedRoute[] {
  return (Array.isArray(routes) ? routes : Object.values(routes ?? {}).flat()) as IndexedRoute[];
}

/** Which `.routes.ts` below a folder declares a route, by `METHOD path`. */
async function declaredRoutes(root: string, src: string): Promise<Map<string, string>> {
  const declared = new Map<string, string>();
  for (const file of globSync(`${src}/**/*.routes.ts`, { cwd: root })) {
    const exported = (await import(join(root, file))) as Record<string, unknown>;
    for (const value of Object.values(exported)) {
      if (typeof value !== 'function') continue;
      const routes: unknown = value(inert);
      if (!Array.isArray(routes)) continue;
      for (const { method, path } of routes as IndexedRoute[]) declared.set(`${method} ${path}`, file);
    }
  }
  return declared;
}

const IMPORT = /^import (?!type\b)(?:\{([^}]*)\}) from '(\.[^']+)';/gm;
const LAYER = /\.(model|repository|wire|routes|rpc|consumer|store)\.ts$/;

function usesOf(route: IndexedRoute, at: { root: string; file: string; src: string }): string[] {
  const source = readFileSync(join(at.root, at.file), 'utf8');
  const reached = reachedSource([route.handler, route.resource], source);
  const files = new Set<string>();
  for (const [, names = '', from = ''] of source.matchAll(IMPORT)) {
    const imported = names.split(',').map((name) => name.trim().split(' as ').at(-1)!);
    const used = imported.some((name) => name !== '' && new RegExp(String.raw`\b${name}\b`).test(reached));
    if (used) files.add(relative(at.root, join(at.root, dirname(at.file), from)));
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
