// Packages of many files, each made into one: Node takes half a millisecond for every file that a start loads (ADR 78).
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The packages, by the only names under which the services import them. */
export const JOINED = [
  '@bufbuild/protobuf/wire',
  '@grpc/grpc-js',
  '@opentelemetry/api',
  'pg',
  'pino',
  'zod',
] as const;
/** What they load only where somebody asks for it, and nobody does. */
const LEFT_OUT = ['@grpc/proto-loader', 'pg-cloudflare', 'pg-native'];

const FOLDER = 'node_modules/.cache/joined-packages';
const REGISTER = 'register.mjs';
/** What npm has installed, as it says itself: the lock file may be of another day. */
const INSTALLED = 'node_modules/.package-lock.json';

/**
 * Arguments with which Node takes the joined packages in place of their files. None where tracing is on, which wraps packages
 * as they are loaded, by the places of their files, and none where they cannot be made: the files are there in any case.
 * @param options.root the repository's folder
 * @param options.env what the services are told
 */
export async function joinedArguments(options: { root: string; env: NodeJS.ProcessEnv }): Promise<string[]> {
  const { root, env } = options;
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return [];
  try {
    return ['--import', pathToFileURL(join(await joinPackages(root), REGISTER)).href];
  } catch {
    return [];
  }
}

/** Makes them, unless they are there for what is installed. @returns their folder */
export async function joinPackages(root: string): Promise<string> {
  const versions = createHash('sha256');
  for (const file of [join(root, INSTALLED), import.meta.filename]) versions.update(readFileSync(file));
  const version = versions.digest('hex').slice(0, 16);
  const all = join(root, FOLDER);
  const folder = join(all, version);
  if (existsSync(folder)) return folder;
  mkdirSync(all, { recursive: true });
  for (const name of readdirSync(all))
    if (!name.startsWith(version)) rmSync(join(all, name), { recursive: true, force: true });
  const unfinished = `${folder}-${process.pid}`;
  await build(unfinished);
  writeFileSync(join(unfinished, REGISTER), registering());
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another start was faster.
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

const fileOf = (name: string): string => `${name.replaceAll('/', '+')}.mjs`;

async function build(folder: string): Promise<void> {
  const { build: bundle, stop } = await import('esbuild');
  const entries = new Map<string, string>();
  for (const name of JOINED) entries.set(name, entryOf(name, Object.keys((await import(name)) as object)));
  try {
    await bundle({
      entryPoints: JOINED.map((name) => ({
        in: `joined:${name}`,
        out: fileOf(name).slice(0, -'.mjs'.length),
      })),
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      external: LEFT_OUT,
      // Node's own modules are required by packages of the older kind.
      banner: {
        js: "import { createRequire as createOwnRequire } from 'node:module'; const require = createOwnRequire(import.meta.url);",
      },
      logLevel: 'silent',
      plugins: [
        {
          name: 'joined',
          setup: ({ onResolve, onLoad }) => {
            onResolve({ filter: /^joined:/ }, ({ path }) => ({
              path: path.slice('joined:'.length),
              namespace: 'joined',
            }));
            onLoad({ filter: /./, namespace: 'joined' }, ({ path }) => ({
              contents: entries.get(path)!,
              resolveDir: import.meta.dirname,
            }));
          },
        },
      ],
    });
  } finally {
    await stop();
  }
}

/** Exports under the names that Node sees: those of older packages can be told by running them only. */
function entryOf(name: string, exported: readonly string[]): string {
  const named = exported.filter((key) => key !== 'default' && key !== 'module.exports');
  return [
    `import * as all from '${name}';`,
    ...named.map((key, at) => `const name${at} = all.${key}; export { name${at} as ${key} };`),
    ...(exported.includes('default') ? ['export default all.default;'] : []),
  ].join('\n');
}

const registering = (): string => `import { registerHooks } from 'node:module';
const files = new Map(${JSON.stringify(JOINED.map((name) => [name, fileOf(name)]))});
registerHooks({
  resolve(name, context, next) {
    const file = files.get(name);
    if (file === undefined) return next(name, context);
    return { url: new URL(file, import.meta.url).href, format: 'module', shortCircuit: true };
  },
});
`;
