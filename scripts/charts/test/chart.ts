import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { toolsFolder } from '../src/tools.ts';

export const CHART = join(import.meta.dirname, '../../../charts/kontoport');
export const EXAMPLES = ['sandbox', 'production', 'several-environments'] as const;
export type Example = (typeof EXAMPLES)[number];
export const NAMESPACE = 'open-banking';

/** The members of an object of Kubernetes that tests read. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one of the tools to its end. */
export async function runTool(
  tool: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(
      'nice',
      ['-n', '10', join(toolsFolder(), tool), ...args],
      {
        maxBuffer: 1 << 26,
        env: { PATH: process.env.PATH, HOME: tmpdir(), ...env },
      },
    );
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number | string } & Partial<Ran>;
    if (typeof code !== 'number') throw error;
    return { code, stdout, stderr };
  }
}

/** Writes values of a test to a file that is removed with the tests' folder. */
export function valuesFile(values: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'kontoport-values-')), 'values.yaml');
  // Helm reads YAML 1.1, in which `off` is false.
  writeFileSync(file, stringify(values, { version: '1.1' }));
  return file;
}

export const exampleFile = (example: Example): string => join(CHART, `examples/${example}.yaml`);

/** Examples that add to the values of an installation, each with one that it fits. */
export const ADDITIONS = {
  'dual-stack': 'sandbox',
  'egress-proxy': 'sandbox',
  'private-registry': 'production',
  'air-gapped': 'sandbox',
  openshift: 'sandbox',
} as const satisfies Record<string, Example>;

/** The values of an example that adds to others. */
export const additionOf = (name: keyof typeof ADDITIONS): object =>
  parse(readFileSync(join(CHART, `examples/${name}.yaml`), 'utf8')) as object;

/** `--values` with an example and what a test changes of it. */
export function valuesOf(example: Example, changes: readonly object[] = []): string[] {
  return [exampleFile(example), ...changes.map((change) => valuesFile(change))].flatMap((file) => [
    '--values',
    file,
  ]);
}

/** Runs `helm template` for an example with changes. */
export function template(example: Example, ...changes: object[]): Promise<Ran> {
  return runTool('helm', ['template', 'bank', CHART, '-n', NAMESPACE, ...valuesOf(example, changes)]);
}

/** The objects of a release. @throws Error with Helm's words where it refuses */
export async function render(example: Example, ...changes: object[]): Promise<KubernetesObject[]> {
  const { code, stdout, stderr } = await template(example, ...changes);
  if (code !== 0) throw new Error(stderr);
  return objectsIn(stdout);
}

export function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

/** Objects as Kubernetes reads them: in YAML 1.1. */
export function asYaml(objects: readonly object[]): string {
  return objects
    .map((object) => stringify(object, { version: '1.1', aliasDuplicateObjects: false }))
    .join('---\n');
}

/** The one object of a kind and name. */
export function objectOf(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  if (found.length !== 1) throw new Error(`${found.length} times ${kind} ${name}`);
  return found[0]!;
}

/** The members of a container that tests read. */
export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string }[];
  securityContext?: Record<string, unknown>;
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  startupProbe?: { grpc?: object; httpGet?: object };
  volumeMounts?: { name: string; mountPath: string }[];
}

export interface PodSpec {
  automountServiceAccountToken?: boolean;
  hostAliases?: { ip: string; hostnames: string[] }[];
  securityContext?: Record<string, unknown>;
  terminationGracePeriodSeconds?: number;
  containers: Container[];
  initContainers?: Container[];
  volumes?: {
    name: string;
    projected?: { sources: { secret?: { name: string; items: { key: string; path: string }[] } }[] };
  }[];
}

/** The pods that an object makes, or is. */
export function podOf({ kind, spec }: KubernetesObject): PodSpec | undefined {
  if (kind === 'Pod') return spec as unknown as PodSpec;
  return (spec as { template?: { spec?: PodSpec } } | undefined)?.template?.spec;
}
