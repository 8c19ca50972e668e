import { describeWith } from '@kontoport/testing/describe-with';
import { stringify } from 'yaml';
import { missingTools } from '../src/tools.ts';
import { asYaml, CHART, NAMESPACE, type Ran, render, valuesOf } from './chart.ts';
import { Cluster } from './cluster.ts';
import { MATRIX } from './matrix.ts';

/** Nothing runs here, so `--wait` ends at once. */
const WAIT = ['--wait', '--timeout', '10m'];

describeWith('a cluster where Pod Security is restricted', { missing: missingTools() }, () => {
  const cluster = new Cluster();

  beforeAll(async () => {
    await cluster.open();
    for (const name of [NAMESPACE, 'judged'])
      await cluster.apply(
        stringify({
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
        }),
      );
  }, 600_000);
  afterAll(() => cluster.close());

  const judge = (objects: readonly object[]): Promise<Ran> =>
    cluster.judge(asYaml(objects).replaceAll(`namespace: ${NAMESPACE}`, 'namespace: judged'));

  it.each(MATRIX)('accepts without a warning: %s', async (_name, example, change) => {
    expect(await judge(await render(example, change))).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['an unknown field', 'replicas', 'replica'],
    ['a value of another type', 'replicas: ', 'replicas: many'],
  ])('rejects %s', async (_what, right, wrong) => {
    const text = asYaml(await render('sandbox')).replaceAll(`namespace: ${NAMESPACE}`, 'namespace: judged');
    expect(await cluster.judge(text.replace(right, wrong))).toMatchObject({ code: 1 });
  });

  it('rejects a pod that asks for more than it may', async () => {
    const objects = await render('sandbox', {
      services: { auth: { extraVolumes: [{ name: 'host', hostPath: { path: '/' } }] } },
    });
    const { code, stderr } = await judge(objects);
    expect(code).toBe(1);
    expect(stderr).toContain('restricted volume types');
  });

  it('installs, upgrades, rolls back and uninstalls the chart', async () => {
    const started = performance.now();
    const change = (...args: string[]): Promise<Ran> => cluster.helm(...args, '-n', NAMESPACE, ...WAIT);
    const replicasOf = async (): Promise<string> =>
      cluster.mustKubectl(
        '-n',
        NAMESPACE,
        'get',
        'deployment',
        'bank-auth',
        '-o',
        'jsonpath={.spec.replicas}',
      );
    expect(await change('install', 'bank', CHART, ...valuesOf('sandbox'))).toMatchObject({ code: 0 });
    process.stderr.write(`helm install took ${Math.round(performance.now() - started)} ms\n`);
    expect(await replicasOf()).toBe('1');
    const more = valuesOf('sandbox', [{ services: { auth: { replicas: 3 } } }]);
    expect(await change('upgrade', 'bank', CHART, ...more)).toMatchObject({ code: 0 });
    expect(await replicasOf()).toBe('3');
    expect(await change('rollback', 'bank', '1')).toMatchObject({ code: 0 });
    expect(await replicasOf()).toBe('1');
    expect(await change('uninstall', 'bank')).toMatchObject({ code: 0 });
    const left = await cluster.mustKubectl(
      '-n',
      NAMESPACE,
      'get',
      'deployments,services,networkpolicies',
      '-o',
      'name',
    );
    // Helm leaves the objects of hooks for inspection.
    expect(left.split('\n').filter((name) => name !== '' && !name.endsWith('-migrate'))).toEqual([]);
  }, 600_000);
});
