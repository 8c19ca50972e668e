// Builds images from programs installed on this machine, for where no registry can be reached: the tests use these programs anyway.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { completeLinks } from '@kontoport/embedded/complete-links';
import { postgresFolder } from '@kontoport/embedded/embedded-postgres';
import { fetchKafkaJars, missingForKafka } from '@kontoport/embedded/kafka-jars';
import { prometheusProgram } from '@kontoport/embedded/prometheus';
import type { Engine } from './engine.ts';

const SYSTEM =
  'libc6 libc-bin libgcc-s1 libstdc++6 zlib1g dash bash coreutils findutils libselinux1 libpcre2-8-0 libacl1 libattr1 libgmp10 libtinfo6 base-files sed grep';
const FOLDERS = [
  'tmp',
  'root',
  'proc',
  'dev',
  'sys',
  'etc/ssl',
  'usr/local/bin',
  'usr/local/lib/node_modules',
];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const LOCAL = join(import.meta.dirname, '../../.local');
const ENVOY = join(LOCAL, 'envoy/envoy/_bin/envoy');
const LOGGING = join(import.meta.dirname, '../../libs/embedded/kafka/log4j2.properties');
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

interface Recipe {
  /** Adds the content of the image to its root folder, a bare Debian. */
  fill: (root: string) => void;
  /** Instructions of a Dockerfile. */
  changes?: readonly string[];
}

const shell = (command: string): string =>
  execFileSync('bash', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Imports an image: a shell, its tools and their libraries, as installed on this Debian machine, and the content of the recipe. */
async function importImage(engine: Engine, tag: string, { fill, changes = [] }: Recipe): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-local-image-'));
  try {
    const root = join(folder, 'root');
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
      mkdirSync(join(root, 'usr', name), { recursive: true });
      symlinkSync(`usr/${name}`, join(root, name));
    }
    for (const name of FOLDERS) mkdirSync(join(root, name), { recursive: true });
    chmodSync(join(root, 'tmp'), 0o1777);
    shell(
      `dpkg-query -L ${SYSTEM} | grep -vE '/usr/share/(doc|man|locale|info)' | sort -u | tar c --no-recursion -T - 2>/dev/null | tar x --keep-directory-symlink -C ${root}`,
    );
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
    fill(root);
    const archive = join(folder, 'image.tar');
    shell(`tar cf ${archive} -C ${root} .`);
    const all = [`ENV PATH=${PATH}`, ...changes].flatMap((change) => ['--change', change]);
    await engine.mustRun(['import', ...all, archive, tag]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For `node:24-slim`: this Node, npm, and the certification authorities that this machine trusts. */
export async function importBase(engine: Engine, tag: string): Promise<void> {
  const authorities = [process.env.NODE_EXTRA_CA_CERTS, AUTHORITIES].find(
    (file) => file !== undefined && existsSync(file),
  );
  await importImage(engine, tag, {
    fill(root) {
      cpSync(process.execPath, join(root, 'usr/local/bin/node'));
      const npm = dirname(dirname(realpathSync(shell('command -v npm').trim())));
      const copy = { recursive: true, verbatimSymlinks: true };
      cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), copy);
      symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
      mkdirSync(dirname(join(root, AUTHORITIES)), { recursive: true });
      if (authorities !== undefined) cpSync(authorities, join(root, AUTHORITIES), { dereference: true });
    },
    changes: authorities === undefined ? [] : [`ENV NODE_EXTRA_CA_CERTS=${AUTHORITIES}`],
  });
}

/** For `postgres:18`: the PostgreSQL of npm, configured by the same variables. */
export async function importPostgres(engine: Engine, tag: string): Promise<void> {
  const folder = await postgresFolder();
  await importImage(engine, tag, {
    fill(root) {
      const place = join(root, 'usr/local', basename(folder));
      cpSync(folder, place, { recursive: true, verbatimSymlinks: true });
      completeLinks(place);
      addAccount(root, 'postgres', 999);
      addEntry(root, 'postgres.sh');
      for (const name of ['var/lib/postgresql', 'docker-entrypoint-initdb.d'])
        mkdirSync(join(root, name), { recursive: true });
      chownSync(join(root, 'var/lib/postgresql'), 999, 999);
    },
    changes: [
      `ENV PATH=/usr/local/${basename(folder)}/bin:${PATH}`,
      'USER postgres',
      'STOPSIGNAL SIGINT',
      'ENTRYPOINT ["/entry.sh"]',
      'CMD ["postgres"]',
    ],
  });
}

/** For `apache/kafka`: the jars of the tests' broker and this machine's Java, configured by the same variables. */
export async function importKafka(engine: Engine, tag: string): Promise<void> {
  const jars = await fetchKafkaJars();
  const java = dirname(dirname(realpathSync(shell('command -v java').trim())));
  await importImage(engine, tag, {
    fill(root) {
      // Debian keeps the configuration of Java outside of its folder.
      shell(
        `mkdir -p ${root}/opt/java && tar c --dereference --exclude=legal --exclude=docs --exclude=man --exclude=jmods -C ${java} . | tar x -C ${root}/opt/java`,
      );
      cpSync(jars, join(root, 'opt/kafka/libs'), { recursive: true });
      cpSync(LOGGING, join(root, 'opt/kafka/log4j2.properties'));
      addAccount(root, 'appuser', 1000);
      addEntry(root, 'kafka.sh');
      mkdirSync(join(root, 'var/lib/kafka/data'), { recursive: true });
      chownSync(join(root, 'var/lib/kafka/data'), 1000, 1000);
    },
    changes: [`ENV PATH=/opt/java/bin:${PATH}`, 'USER appuser', 'ENTRYPOINT ["/entry.sh"]'],
  });
}

function addAccount(root: string, name: string, id: number): void {
  appendFileSync(join(root, 'etc/passwd'), `${name}:x:${id}:${id}::/tmp:/bin/sh\n`);
  appendFileSync(join(root, 'etc/group'), `${name}:x:${id}:\n`);
}

/** Adds a script beside this file as the entry point; it reads the same variables as that of the real image. */
function addEntry(root: string, name: string): void {
  cpSync(join(import.meta.dirname, 'entries', name), join(root, 'entry.sh'));
  chmodSync(join(root, 'entry.sh'), 0o755);
}

/** For `envoyproxy/envoy`: the Envoy that `.ci/run` fetches. */
export async function importEnvoy(engine: Engine, tag: string): Promise<void> {
  await importProgram(engine, tag, {
    name: 'envoy',
    file: ENVOY,
    changes: [],
  });
}

/** For `prom/prometheus`: Debian's, as `.ci/run` unpacks it. */
export async function importPrometheus(engine: Engine, tag: string): Promise<void> {
  const { file } = prometheusProgram();
  await importProgram(engine, tag, {
    name: 'prometheus',
    file,
    changes: ['ENTRYPOINT ["prometheus"]', 'USER 65534'],
  });
}

async function importProgram(
  engine: Engine,
  tag: string,
  { name, file, changes }: { name: string; file: string; changes: readonly string[] },
): Promise<void> {
  await importImage(engine, tag, {
    fill: (root) => cpSync(file, join(root, 'usr/local/bin', name), { dereference: true }),
    changes,
  });
}

const LOCAL_IMAGES = {
  BASE_IMAGE: importBase,
  POSTGRES_IMAGE: importPostgres,
  KAFKA_IMAGE: importKafka,
  ENVOY_IMAGE: importEnvoy,
  PROMETHEUS_IMAGE: importPrometheus,
};

/** A variable that names an image which can also be built here. */
export type ImageVariable = keyof typeof LOCAL_IMAGES;

const MISSING: Partial<Record<ImageVariable, () => string | undefined>> = {
  KAFKA_IMAGE: missingForKafka,
  ENVOY_IMAGE: () => (existsSync(ENVOY) ? undefined : 'no Envoy: fetch it to .local/envoy, as .ci/run does'),
  PROMETHEUS_IMAGE: () => prometheusProgram().missing,
};

/**
 * Returns the missing requirement to build the images that no variable names, and how to get it; undefined when nothing is missing.
 */
export function missingForLocalImages(variables: readonly ImageVariable[]): string | undefined {
  const lacks = variables.flatMap((variable) =>
    process.env[variable] === undefined ? (MISSING[variable]?.() ?? []) : [],
  );
  return lacks.length === 0 ? undefined : lacks.join('; ');
}

/** Images by the variables that name them: the named ones, else images built here. */
export async function imagesFor<V extends ImageVariable>(
  engine: Engine,
  variables: readonly V[],
): Promise<Record<V, string>> {
  const found: [V, string][] = [];
  for (const variable of variables) {
    const given = process.env[variable];
    const tag = given ?? `kontoport/${variable.split('_')[0]!.toLowerCase()}:local`;
    if (given === undefined) await LOCAL_IMAGES[variable](engine, tag);
    found.push([variable, tag]);
  }
  return Object.fromEntries(found) as Record<V, string>;
}
