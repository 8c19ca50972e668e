import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildImage, imageOf } from './build-images.ts';
import { servicesOf } from './bundle.ts';
import { type Engine, openEngine } from './engine.ts';
import { imagesFor } from './local-images.ts';
import type { ClusterTools } from './node-tools.ts';

const ROOT = join(import.meta.dirname, '../..');
const PARTS = ['BASE_IMAGE', 'POSTGRES_IMAGE', 'KAFKA_IMAGE', 'ENVOY_IMAGE'] as const;

/** Images for a cluster. */
export interface ClusterImages {
  /** Archives, as `docker save` writes them. */
  archives: readonly string[];
  postgres: string;
  kafka: string;
  envoy: string;
  dns: string;
}

/** Returns the images saved in the folder; builds and saves them first if there are none. */
export async function clusterImages(options: Omit<Saving, 'engine'>): Promise<ClusterImages> {
  const list = join(options.folder, 'images.json');
  if (existsSync(list)) return JSON.parse(readFileSync(list, 'utf8')) as ClusterImages;
  const engine = await openEngine();
  try {
    const images = await saveClusterImages({ engine, ...options });
    writeFileSync(list, JSON.stringify(images));
    return images;
  } finally {
    await engine.stop();
  }
}

interface Saving {
  engine: Engine;
  tools: ClusterTools;
  folder: string;
  versions: readonly string[];
  /** Reports progress. */
  report: (line: string) => void;
}

/**
 * Builds the images of the services in each version and saves them with the others.
 */
async function saveClusterImages(options: Saving): Promise<ClusterImages> {
  const { engine, tools, folder, versions, report } = options;
  report('images of PostgreSQL, Apache Kafka and Envoy');
  const parts = await imagesFor(engine, PARTS);
  const services = servicesOf(ROOT);
  mkdirSync(folder, { recursive: true });
  for (const version of versions)
    for (const service of services) {
      report(`image ${imageOf(service, version)}`);
      await buildImage(engine, { service, version, base: parts.BASE_IMAGE });
    }
  const [pause, dns] = ['localhost/pause:1', 'localhost/dns:1'];
  await importProgram(engine, { tag: pause, program: join(tools.node, 'pause'), within: folder });
  await importProgram(engine, { tag: dns, program: join(tools.node, 'dns'), within: folder });
  const own = versions.flatMap((version) => services.map((service) => imageOf(service, version)));
  const others = [parts.POSTGRES_IMAGE, parts.KAFKA_IMAGE, parts.ENVOY_IMAGE, pause, dns];
  report('saving all of them');
  const archive = join(folder, 'images.tar');
  await engine.mustRun(['save', '-o', archive, ...own, ...others]);
  return {
    archives: [archive],
    postgres: parts.POSTGRES_IMAGE,
    kafka: parts.KAFKA_IMAGE,
    envoy: parts.ENVOY_IMAGE,
    dns,
  };
}

/** Imports an image of one static program. */
async function importProgram(
  engine: Engine,
  { tag, program, within }: { tag: string; program: string; within: string },
): Promise<void> {
  const folder = mkdtempSync(join(within, 'program-'));
  try {
    mkdirSync(join(folder, 'root'));
    cpSync(program, join(folder, 'root/program'), { dereference: true });
    const archive = join(folder, 'image.tar');
    execFileSync('tar', ['cf', archive, '-C', join(folder, 'root'), '.']);
    await engine.mustRun(['import', '--change', 'ENTRYPOINT ["/program"]', archive, tag]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
