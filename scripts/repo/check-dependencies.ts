// node scripts/repo/check-dependencies.ts: every workspace declares exactly what it imports.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.nx']);
const IMPORT =
  /^(?:import|export)\b[^'"`;]*?\bfrom ['"]([^'"]+)['"]|^import ['"]([^'"]+)['"]|(?:\bimport|\brequire|(?<!Promise)\.resolve)\(['"]([^'"]+)['"]\)/gm;

/** The package of an import: `@scope/name` or `name`; nothing for a path or a module of Node. */
export function packageOf(specifier: string): string | undefined {
  if (/^[.#/]|^node:/.test(specifier) || builtinModules.includes(specifier)) return undefined;
  return /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0];
}

/** Whether a file of a workspace takes part only in its tests. */
const isTest = (file: string): boolean => /(^|\/)(test|fuzz|cluster)\/|\.test\.ts$/.test(file);

function importsOf(file: string): string[] {
  // What a test writes into files of its own is no import of ours.
  const text = readFileSync(file, 'utf8').replaceAll(/`(?:\\.|[^`\\])*`/g, '``');
  return [...text.matchAll(IMPORT)].flatMap(([, from, bare, called]) => {
    const name = packageOf((from ?? bare ?? called)!);
    return name === undefined ? [] : [name];
  });
}

/** What one workspace imports: in what runs, and in its tests. Workspaces beneath it are not part of it. */
function usedIn(folder: string): { running: Set<string>; testing: Set<string> } {
  const running = new Set<string>();
  const testing = new Set<string>();
  const files = globSync('**/*.{ts,mjs}', { cwd: folder, exclude: (name) => SKIPPED.has(name) });
  for (const file of files) {
    if (ownerOf(join(folder, file)) !== folder) continue;
    for (const name of importsOf(join(folder, file))) (isTest(file) ? testing : running).add(name);
  }
  return { running, testing };
}

function ownerOf(file: string): string {
  const folder = dirname(file);
  return existsSync(join(folder, 'package.json')) ? folder : ownerOf(folder);
}

function toolsOf(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  return Object.keys(manifest.devDependencies ?? {});
}

function faultsOf(folder: string, place: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name: own, dependencies = {}, devDependencies = {} } = manifest;
  const { running, testing } = usedIn(folder);
  // Its scripts run the tools of the root.
  if (place === 'scripts/repo') for (const name of toolsOf(join(folder, '../..'))) running.delete(name);
  const declared = (name: string): boolean => name in dependencies || name in devDependencies;
  return [
    ...[...running]
      .filter((name) => name !== own && !(name in dependencies))
      .map((name) => `${place} imports ${name}, which is not among its dependencies`),
    ...[...testing]
      .filter((name) => name !== own && !running.has(name) && !declared(name))
      .map((name) => `${place} imports ${name} in tests, and does not declare it`),
    ...Object.keys(dependencies)
      .filter((name) => !running.has(name))
      .map((name) =>
        testing.has(name)
          ? `${place} imports ${name} in tests alone: it belongs to devDependencies`
          : `${place} declares ${name} and never imports it`,
      ),
    ...Object.keys(devDependencies)
      .filter((name) => !testing.has(name) && !running.has(name))
      .map((name) => `${place} declares ${name} for tests and never imports it`),
  ];
}

/** Everything that a workspace under `root` imports undeclared or declares unused, one sentence each. */
export function dependencyFaults(root: string): string[] {
  return globSync(['{docker,services,libs,scripts}/**/package.json', 'proto/package.json'], {
    cwd: root,
    exclude: (name) => SKIPPED.has(name) || name === 'gen',
  })
    .toSorted()
    .flatMap((file) => {
      const folder = join(root, dirname(file));
      return faultsOf(folder, relative(root, folder));
    });
}

if (process.argv[1] === import.meta.filename) {
  const faults = dependencyFaults(join(import.meta.dirname, '../..'));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
