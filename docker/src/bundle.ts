// node docker/src/bundle.ts FOLDER [SERVICE …]: makes FOLDER/<service>, which is /app of that service's image.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { build, type Plugin, stop } from 'esbuild';
import { BUNDLING, LEFT_OUT } from './bundling.ts';
import { copyPackages, type Package, packageOf, readManifest } from './packages.ts';
import { billOfMaterials, licences } from './sbom.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMPILER = 'query-compiler.wasm';

/** Packages outside of the bundle: OpenTelemetry, and the packages that it instruments while Node loads them. */
const PACKAGES = [
  ...Object.keys(readManifest(join(ROOT, 'libs/telemetry')).dependencies ?? {}).filter((name) =>
    /^(@opentelemetry\/|import-in-the-middle$)/.test(name),
  ),
  '@grpc/grpc-js',
  'kafkajs',
  'pg',
  'pino',
];

/** Writes Prisma's compiler as a file beside the bundle: as base64 in a module it would be in memory twice. */
const compilerAsFile = (folder: string): Plugin => ({
  name: 'compiler as file',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.wasm-base64\.mjs$/ }, async ({ path }) => {
      const { wasm } = (await import(path)) as { wasm: string };
      writeFileSync(join(folder, COMPILER), Buffer.from(wasm, 'base64'));
      return {
        contents: `import { readFileSync } from 'node:fs';
export const wasm = readFileSync(new URL('./${COMPILER}', import.meta.url));`,
      };
    }),
});

/** Folders under `services/`. */
export const servicesOf = (root: string): string[] => readdirSync(join(root, 'services')).toSorted();

/** The image with the pages for developers alone. */
export const PORTAL = 'portal';

/** The program of a bundle: a service, or the portal. */
const mainOf = (name: string): string =>
  join(ROOT, name === PORTAL ? 'docker/src/run-portal.ts' : `services/${name}/src/main.ts`);

/** Code for the sealed tables of a service. */
function sealedOf(service: string): string {
  const path = join(ROOT, 'services', service, 'src/sealed-tables.ts');
  return existsSync(path) ? `(await import('${path}')).SEALED_TABLES` : '[]';
}

const entryOf = (service: string): string => `import { runImage } from '${join(ROOT, 'docker/src/entry.ts')}';
await runImage({
  serve: () => import('${mainOf(service)}'),
  prismaDir: import.meta.dirname + '/prisma',
  sealed: async () => ${sealedOf(service)},
  args: process.argv.slice(2),
});`;

/**
 * Makes a folder with everything that a service needs besides Node: `main.mjs`, `otel.mjs`, `health.mjs`, chunks and their source
 * maps, `prisma/migrations`, the packages outside of the bundle, `sbom.cdx.json` and `LICENSES.txt`.
 */
export async function bundle({ service, folder }: { service: string; folder: string }): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entry = join(ROOT, 'docker/src', `${service}.entry`);
  const { metafile } = await build({
    ...BUNDLING,
    absWorkingDir: ROOT,
    entryPoints: {
      main: entry,
      otel: join(ROOT, 'libs/telemetry/src/otel.ts'),
      health: join(ROOT, 'docker/src/health.ts'),
    },
    outdir: folder,
    chunkNames: '[name]-[hash]',
    metafile: true,
    external: [...PACKAGES, ...LEFT_OUT],
    logLevel: 'warning',
    plugins: [
      {
        name: 'entry',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /\.entry$/ }, ({ path }) => ({ path }));
          onLoad({ filter: /\.entry$/ }, () => ({ contents: entryOf(service), resolveDir: ROOT }));
        },
      },
      compilerAsFile(folder),
      ...BUNDLING.plugins,
    ],
  });
  nameSources(folder);
  const migrations = join(ROOT, 'services', service, 'prisma/migrations');
  if (existsSync(migrations)) cpSync(migrations, join(folder, 'prisma/migrations'), { recursive: true });
  const copied = copyPackages({ root: ROOT, names: PACKAGES, leftOut: LEFT_OUT, folder });
  refuseUnresolved(folder, new Set(copied.map(({ name }) => name)));
  const inside = Object.keys(metafile.inputs).flatMap((path) => packageOf(join(ROOT, path)) ?? []);
  const packages = unique([...inside, ...copied]);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials({ service, version, packages }));
  writeFileSync(join(folder, 'LICENSES.txt'), licences({ root: ROOT, packages }));
}

/** Checks that every required package is in the bundle or beside it. @throws Error that names a missing one */
function refuseUnresolved(folder: string, copied: ReadonlySet<string>): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.mjs'))) {
    const required = readFileSync(join(folder, file), 'utf8').matchAll(
      /\brequire\w*\("((?:@[^/"]+\/)?[^/"]+)[^"]*"\)/gi,
    );
    const missing = [...required]
      .map(([, name]) => name!)
      .find((name) => !isBuiltin(name) && !copied.has(name));
    if (missing !== undefined)
      throw new Error(`${file} requires ${missing}, which is neither in it nor beside it`);
  }
}

/** Makes the paths of sources relative to the repository, so that bundles do not depend on their folder. */
function nameSources(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.map'))) {
    const map = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { sources: string[] };
    const sources = map.sources.map((source) => relative(ROOT, resolve(folder, source)));
    writeFileSync(join(folder, file), JSON.stringify({ ...map, sources }));
  }
}

/** Removes duplicates and sorts by name and version. */
function unique(packages: readonly Package[]): Package[] {
  const known = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...known].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, found]) => found);
}

/** Bundles services and the portal. @returns the names of the bundles */
export async function bundleAll(folder: string, services = [...servicesOf(ROOT), PORTAL]): Promise<string[]> {
  try {
    for (const service of services) await bundle({ service, folder: join(folder, service) });
  } finally {
    await stop();
  }
  return services;
}

if (process.argv[1] === import.meta.filename) {
  const [folder, ...services] = process.argv.slice(2);
  const known = [...servicesOf(ROOT), PORTAL];
  const unknown = services.find((name) => !known.includes(name));
  if (folder === undefined || unknown !== undefined) {
    console.error(`usage: node docker/src/bundle.ts FOLDER [${known.join(' | ')} …]`);
    process.exitCode = 2;
  } else await bundleAll(folder, services.length === 0 ? undefined : services);
}
