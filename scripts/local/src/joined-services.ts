// The services, each joined into few files: Node takes half a millisecond for every file that a start loads (ADR 80).
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUNDLING, LEFT_OUT } from '@kontoport/scripts/bundling';

const FOLDER = 'node_modules/.cache/joined-services';
/** What npm has installed, as it says itself: the lock file may be of another day. */
const INSTALLED = 'node_modules/.package-lock.json';
/** Everything that a service is made of, and what tells where it lies. */
const SOURCES = [
  '{services,libs}/*/src/**/*.ts',
  '{services,libs}/*/package.json',
  'proto/{gen,openapi}/**/*.{ts,json}',
  'proto/package.json',
  'scripts/bundling.ts',
];
/** Loaded late or never, and large; of kafkajs we replace parts by their paths. */
const PACKAGES = ['kafkajs', '@prisma/client'];
/** What has stack traces name the sources. */
const MAPS = 'source-maps';
/** Of the sources as they were, that stay: a stack that runs on them has yet to load what is loaded late. */
const KEPT = 10;
const GONE = '-gone';

/** How Node runs a joined service. */
export interface JoinedService {
  args: string[];
  env: Record<string, string>;
}

/**
 * Joins the services of a repository, unless they are there for these sources and what is installed.
 * @param options.root the repository's folder
 * @param options.env what the services are told
 * @returns how each runs; nothing where tracing is on, whose many packages are not joined, and where they
 *   cannot be made: the sources are there in any case, and say themselves what is wrong with them
 */
export async function joinedServices(options: {
  root: string;
  env: NodeJS.ProcessEnv;
}): Promise<((service: string) => JoinedService) | undefined> {
  const { root, env } = options;
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return undefined;
  try {
    const folder = await joinServices(root);
    return (service) => ({
      args: ['--import', pathToFileURL(join(folder, `${MAPS}.mjs`)).href, join(folder, `${service}.mjs`)],
      // What Node makes of them is of no use without them.
      env: { NODE_COMPILE_CACHE: join(folder, 'compiled') },
    });
  } catch {
    return undefined;
  }
}

/** Makes them, unless they are there. @returns their folder */
export async function joinServices(root: string): Promise<string> {
  const all = join(root, FOLDER);
  const folder = join(all, versionOf(root));
  if (!existsSync(folder)) {
    mkdirSync(all, { recursive: true });
    const unfinished = `${folder}-${process.pid}`;
    try {
      await build(root, unfinished);
      renameSync(unfinished, folder);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      // Another start was faster.
      if (!existsSync(folder)) throw error;
    }
    removeOldest(all);
  }
  utimesSync(folder, new Date(), new Date());
  return folder;
}

function versionOf(root: string): string {
  const version = createHash('sha256').update(readFileSync(import.meta.filename));
  version.update(readFileSync(join(root, INSTALLED)));
  for (const file of globSync(SOURCES, { cwd: root }).toSorted())
    version.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return version.digest('hex').slice(0, 16);
}

function removeOldest(all: string): void {
  const byUse = readdirSync(all)
    .map((name) => ({ path: join(all, name), used: statSync(join(all, name)).mtimeMs }))
    .toSorted((one, other) => other.used - one.used);
  for (const { path } of byUse.slice(KEPT)) {
    // Under another name first: half of a version would be taken for the whole one.
    const gone = path.endsWith(GONE) ? path : path + GONE;
    renameSync(path, gone);
    rmSync(gone, { recursive: true, force: true });
  }
}

async function build(root: string, folder: string): Promise<void> {
  const { build: bundle, stop } = await import('esbuild');
  try {
    await bundle({
      ...BUNDLING,
      absWorkingDir: root,
      entryPoints: [
        { in: '@kontoport/runtime/source-maps', out: MAPS },
        ...globSync('services/*/src/main.ts', { cwd: root }).map((path) => ({
          in: join(root, path),
          out: path.split('/')[1]!,
        })),
      ],
      outdir: folder,
      external: [...PACKAGES, ...LEFT_OUT],
      logLevel: 'silent',
    });
  } finally {
    await stop();
  }
}
