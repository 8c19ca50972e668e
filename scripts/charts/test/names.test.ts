import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { missingTools } from '../src/tools.ts';
import { CHART, type Example, NAMESPACE, objectsIn, type Ran, runTool, valuesOf } from './chart.ts';
import { Cluster } from './cluster.ts';

/** Names of objects that YAML takes for a number, a truth or nothing. */
const MISTAKEN = ['on', 'null', 'true'];
const NUMBER = '123';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
}

/** All values that are names of objects, each as a number would be written; where two exclude each other, of a Secret. */
function allNames({ properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, inner]): [string, unknown][] => {
      const kind = inner.$ref?.replace(/^.*\//, '');
      if (kind === 'objectName') return [[key, key === 'configMap' ? '' : NUMBER]];
      if (kind === 'fileFrom') return [[key, { configMap: '', secret: NUMBER }]];
      if (kind === 'secretKey') return [[key, { name: NUMBER }]];
      if (kind === 'pods') return [[key, { ...allNames(inner), priorityClassName: NUMBER }]];
      return inner.properties === undefined ? [] : [[key, allNames(inner)]];
    }),
  );
}

const rendered = (
  example: Example,
  {
    release = 'bank',
    namespace = NAMESPACE,
    change = {},
  }: { release?: string; namespace?: string; change?: object },
): Promise<Ran> =>
  runTool('helm', ['template', release, CHART, '-n', namespace, ...valuesOf(example, [change])]);

describeWith('names in the chart', { missing: missingTools() }, () => {
  const cluster = new Cluster();
  beforeAll(async () => {
    await cluster.open();
    for (const name of [NAMESPACE, NUMBER]) await cluster.mustKubectl('create', 'namespace', name);
    await cluster.mustKubectl('create', 'priorityclass', NUMBER, '--value=1');
  }, 600_000);
  afterAll(() => cluster.close());

  it.each(MISTAKEN)('are texts where YAML would take the release for something else: %s', async (release) => {
    const change = {
      edge: { type: 'envoyGateway' },
      nameOverride: release,
    };
    const { stdout } = await rendered('production', { release, namespace: NUMBER, change });
    for (const { metadata } of objectsIn(stdout)) {
      expect(metadata.namespace).toBe(NUMBER);
      expect(metadata.labels['app.kubernetes.io/instance']).toBe(release);
      expect(metadata.labels['app.kubernetes.io/name']).toBe(release);
    }
    expect(await cluster.judge(stdout)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['envoyGateway', 'haproxy'])('are texts wherever a value says one, with edge %s', async (type) => {
    const schema = readFileSync(join(CHART, 'values.schema.json'), 'utf8');
    const names = allNames(JSON.parse(schema) as Schema) as Record<string, object>;
    const change = {
      ...names,
      edge: { ...names.edge, type },
      intermediates: { configMap: NUMBER, secret: '' },
      bank: { tls: { caFrom: { configMap: NUMBER, secret: '' }, clientCertificate: NUMBER } },
      externalSecrets: { enabled: false },
      migrations: { mode: 'helmHook' },
      tracing: { ...names.tracing, endpoint: 'https://collector:4318' },
    };
    for (const internal of ['certManager', 'existingSecrets']) {
      const { stdout, stderr } = await rendered('production', {
        change: { ...change, internalTls: { type: internal, issuerRef: { name: NUMBER } } },
      });
      expect(stderr).toBe('');
      expect(await cluster.judge(stdout)).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it.each([
    ['123', {}],
    ['1e3', {}],
    ['1bank', {}],
    ['my.bank', {}],
    ['b'.repeat(41), {}],
    ['bank', { fullnameOverride: 'my.bank' }],
    ['bank', { fullnameOverride: 'bank-' }],
    ['bank', { fullnameOverride: 'Bank' }],
    ['bank', { fullnameOverride: 'b'.repeat(41) }],
  ])('are refused that would be none of a Service: release %s, %j', async (release, change) => {
    const { code, stderr } = await rendered('sandbox', { release, change });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^ *fullnameOverride: .*40/m) as string,
    });
  });

  it('may be chosen where that of the release would be none', async () => {
    const { code, stdout } = await rendered('sandbox', {
      release: '123',
      change: { fullnameOverride: 'bank' },
    });
    expect(code).toBe(0);
    expect(await cluster.judge(stdout)).toMatchObject({ code: 0, stderr: '' });
    expect(
      objectsIn(stdout).map(({ metadata }) => metadata.labels['app.kubernetes.io/instance']),
    ).not.toContain(123);
  });
});
