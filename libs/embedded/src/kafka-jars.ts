import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const POM = join(import.meta.dirname, '../kafka/pom.xml');
const CACHE = join(import.meta.dirname, '../../../.local/kafka');

/** The missing programs for an Apache Kafka, and how to get them; undefined if it can be started. */
export function missingForKafka(): string | undefined {
  const lacking = [
    ...(onPath('java')
      ? []
      : ['Java 17 or newer ("java" in PATH, for example the package openjdk-17-jre-headless)']),
    ...(existsSync(jarFolder()) || onPath('mvn')
      ? []
      : ['Maven, which fetches Kafka the first time ("mvn" in PATH, for example the package maven)']),
  ];
  return lacking.length === 0 ? undefined : lacking.join(', and ');
}

/** The folder with Kafka's jars, fetched with Maven when absent. */
export async function fetchKafkaJars(): Promise<string> {
  const folder = jarFolder();
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await promisify(execFile)(
      'mvn',
      [
        '-q',
        '-B',
        '-Dstyle.color=never',
        '-f',
        POM,
        'dependency:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${unfinished}`,
      ],
      { maxBuffer: 1 << 26 },
    );
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have been first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function jarFolder(): string {
  return join(CACHE, `jars-${createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 12)}`);
}

function onPath(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
