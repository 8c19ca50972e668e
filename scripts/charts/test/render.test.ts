import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { missingTools } from '../src/tools.ts';
import {
  ADDITIONS,
  CHART,
  type Container,
  type Example,
  exampleFile,
  EXAMPLES,
  type KubernetesObject,
  NAMESPACE,
  objectOf,
  objectsIn,
  podOf,
  render,
  runTool,
  template,
  valuesOf,
} from './chart.ts';
import { ALL_SECRETS, edgeOf, MATRIX, MODES, SECRETS } from './matrix.ts';

const containersOf = (object: KubernetesObject): Container[] => {
  const pod = podOf(object);
  return pod === undefined ? [] : [...pod.containers, ...(pod.initContainers ?? [])];
};

describeWith('the chart renders', { missing: missingTools() }, () => {
  it('names every example in its tests', () => {
    const files = readdirSync(join(CHART, 'examples')).map((file) => file.replace('.yaml', ''));
    expect(files.toSorted()).toEqual([...EXAMPLES, ...Object.keys(ADDITIONS)].toSorted());
  });

  it('passes the lint of Helm with each example', async () => {
    const values = EXAMPLES.map((example) => ['lint', '--strict', CHART, '--values', exampleFile(example)]);
    for (const args of values) expect(await runTool('helm', args)).toMatchObject({ code: 0 });
  });

  it('passes its unit tests', async () => {
    expect(await runTool('helm-unittest', [CHART])).toMatchObject({ code: 0 });
  });

  it.each(MATRIX)('objects with their labels, each once: %s', async (_name, example, change) => {
    const objects = await render(example, change);
    expect(objects.length).toBeGreaterThan(15);
    for (const object of objects) {
      expect(object.metadata.namespace).toBe(NAMESPACE);
      expect(
        Object.keys(object.metadata.labels).filter((label) => /^(app.kubernetes.io|helm.sh)\//.test(label)),
      ).toHaveLength(7);
    }
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(EXAMPLES)('pods with the least rights: %s', async (example) => {
    const pods = (await render(example)).filter((object) => podOf(object) !== undefined);
    expect(pods.length).toBeGreaterThan(5);
    for (const object of pods) {
      expect(podOf(object)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 10_001,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      for (const { securityContext } of containersOf(object))
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it.each(EXAMPLES)('pods with ids of the cluster, where none are given: %s', async (example) => {
    const ids = { runAsUser: null, runAsGroup: null, fsGroup: null };
    const podsWith = async (podSecurityContext: object): Promise<unknown[]> =>
      (await render(example, { podSecurityContext }))
        .map(podOf)
        .filter((pod) => pod !== undefined)
        .map(({ securityContext }) => securityContext);
    const rest = {
      runAsNonRoot: true,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const pods = await podsWith(ids);
    expect(pods).toEqual(pods.map(() => rest));
    expect(await podsWith({ ...ids, fsGroup: 2_000 })).toEqual(pods.map(() => ({ ...rest, fsGroup: 2_000 })));
  });

  it('says the same twice, so that nothing rolls without a reason', async () => {
    const [one, other] = await Promise.all([template('production'), template('production')]);
    expect(one.stdout).toBe(other.stdout);
  });

  it('the image by digest where one is given, by the tag of the chart elsewhere', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const objects = await render('production', {
      image: { tag: '9.9.9' },
      services: { auth: { image: { digest } } },
    });
    const imageOf = (name: string): string =>
      podOf(objectOf(objects, 'Deployment', `bank-${name}`))!.containers[0]!.image;
    expect(imageOf('auth')).toBe(`registry.bank.example/kontoport/auth@${digest}`);
    expect(imageOf('payments')).toBe('registry.bank.example/kontoport/payments:9.9.9');
  });

  it('payments of a sandbox as one pod that is replaced, whatever the others have', async () => {
    const objects = await render('sandbox', { defaults: { replicas: 4, autoscaling: { enabled: true } } });
    const { spec } = objectOf(objects, 'Deployment', 'bank-payments');
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toHaveLength(4);
    const production = await render('production');
    expect(objectOf(production, 'Deployment', 'bank-payments').spec).toMatchObject({
      replicas: 3,
      strategy: { type: 'RollingUpdate' },
    });
  });

  it('registration asking itself for the clients: behind its Service is nobody before one is ready', async () => {
    const objects = await render('production');
    const podOfService = (name: string) => podOf(objectOf(objects, 'Deployment', `bank-${name}`))!;
    const { containers, hostAliases } = podOfService('registration');
    const asked = containers[0]!.env!.find(({ name }) => name === 'REGISTRATION_GRPC')!.value!;
    expect(hostAliases).toEqual([{ ip: '127.0.0.1', hostnames: [asked.replace(':9090', '')] }]);
    expect(podOfService('auth').hostAliases).toBeUndefined();
  });

  it('a grace period for what preStop and the drain of 25 s take', async () => {
    const objects = await render('sandbox', { services: { auth: { preStopSeconds: 12 } } });
    const pod = podOf(objectOf(objects, 'Deployment', 'bank-auth'))!;
    expect(pod.terminationGracePeriodSeconds).toBe(42);
    expect(pod.containers[0]!.lifecycle!.preStop!.sleep!.seconds).toBe(12);
  });

  it('no preStop that would not wait: Kubernetes before 1.33 takes none of 0 s', async () => {
    const objects = await render('sandbox', { services: { auth: { preStopSeconds: 0 } } });
    const pod = podOf(objectOf(objects, 'Deployment', 'bank-auth'))!;
    expect(pod.terminationGracePeriodSeconds).toBe(30);
    expect(pod.containers[0]!.lifecycle).toBeUndefined();
  });

  it('probes of gRPC where kubelets can ask it', async () => {
    const probeOf = async (example: Example, prefix: string): Promise<unknown> =>
      podOf(objectOf(await render(example), 'Deployment', `${prefix}-payments`))!.containers[0]!.startupProbe;
    expect(await probeOf('sandbox', 'bank')).toMatchObject({ grpc: { port: 9090 } });
    expect(await probeOf('production', 'bank')).toMatchObject({ httpGet: { path: '/livez', port: 'ops' } });
  });

  it('a Job of another name for other migrations, as none can be changed', async () => {
    const jobsOf = async (tag: string): Promise<string[]> =>
      (await render('production', { image: { tag } }))
        .filter(({ kind }) => kind === 'Job')
        .map(({ metadata }) => metadata.name);
    const [one, same, other] = await Promise.all(['1.0.0', '1.0.0', '1.0.1'].map(jobsOf));
    expect(one).toHaveLength(5);
    expect(same).toEqual(one);
    expect(other!.filter((name) => one!.includes(name))).toEqual([]);
  });

  it('a Job of another name where anything of its pod is another, which none can take', async () => {
    const jobsOf = async (change: object): Promise<KubernetesObject[]> =>
      (await render('production', change)).filter(({ kind }) => kind === 'Job');
    const before = await jobsOf({});
    const changes = [
      { commonLabels: { team: 'payments' } },
      { image: { pullSecrets: [{ name: 'another' }] } },
      { database: { tls: { caFrom: { secret: 'another-ca' } } } },
      { externalSecrets: { enabled: false }, edge: { existingSecret: 'edge' }, services: ALL_SECRETS },
    ];
    for (const change of changes)
      for (const { metadata, spec } of await jobsOf(change)) {
        const same = before.find((job) => job.metadata.name === metadata.name);
        expect({ change, name: metadata.name, template: spec?.template }).toEqual({
          change,
          name: metadata.name,
          template: same?.spec?.template ?? spec?.template,
        });
      }
  });

  it.each(MODES)('names that are no longer than Kubernetes takes them, with migrations %s', async (mode) => {
    const args = valuesOf('production', [{ ...SECRETS, services: ALL_SECRETS, migrations: { mode } }]);
    const { stdout } = await runTool('helm', ['template', 'b'.repeat(40), CHART, ...args]);
    const objects = objectsIn(stdout).filter(({ kind }) => ['Job', 'Service'].includes(kind));
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    // Names of Services are labels of DNS, and those of Jobs are labels of their pods.
    expect(names.filter((name) => name.replace(/^\w+ /, '').length > 63)).toEqual([]);
    expect(new Set(names).size).toBe(mode === 'external' ? 10 : 15);
  });

  it.each(['helmHook', 'job'])(
    'of the secrets of a service the URL alone for migrations: %s',
    async (mode) => {
      const objects = await render('production', { ...SECRETS, services: ALL_SECRETS, migrations: { mode } });
      const auth = ({ kind, metadata }: KubernetesObject): boolean =>
        (mode === 'job' && kind === 'Deployment' && metadata.name === 'bank-auth') ||
        (kind === 'Job' && metadata.name.startsWith('bank-auth-migrate'));
      const pods = objects.filter(auth).map((object) => podOf(object)!);
      expect(pods).toHaveLength(mode === 'job' ? 2 : 1);
      for (const { containers, initContainers = [], volumes = [] } of pods) {
        const migrate = [...containers, ...initContainers].find(({ name }) => name === 'migrate')!;
        const mounted = new Set(migrate.volumeMounts!.map(({ name }) => name));
        const secrets = volumes
          .filter(({ name }) => mounted.has(name))
          .flatMap(({ projected }) => projected?.sources ?? [])
          .flatMap(({ secret }) => secret?.items ?? []);
        expect(secrets.map(({ path }) => path).toSorted()).toEqual(['DATABASE_URL', 'ca.crt']);
        const file = migrate.env!.find(({ name }) => name === 'DATABASE_URL_FILE')!.value!;
        const mount = migrate.volumeMounts!.find(({ mountPath }) => file === `${mountPath}/DATABASE_URL`);
        expect(volumes.find(({ name }) => name === mount?.name)?.projected?.sources).toEqual([
          { secret: { name: 'auth', items: [{ key: 'DATABASE_URL', path: 'DATABASE_URL' }] } },
        ]);
      }
    },
  );

  it('a Secret of a store for each service that needs one of it', async () => {
    const secretVariables = async (change: object): Promise<string[]> =>
      (
        await render(
          'sandbox',
          { externalSecrets: { enabled: true, storeRef: { name: 'vault' } }, migrations: { mode: 'job' } },
          change,
        )
      )
        .filter(({ kind }) => kind === 'ExternalSecret')
        .map(({ metadata }) => metadata.name.replace('bank-', ''))
        .toSorted();
    const needed = ['account-information', 'auth', 'edge', 'registration', 'webhook-dispatcher'];
    // In a sandbox payments have no database.
    expect(await secretVariables({})).toEqual(needed);
    const kafka = { tls: { ca: 'system' }, sasl: { mechanism: 'SCRAM-SHA-512' } };
    expect(await secretVariables({ kafka })).toEqual([...needed, 'payments'].toSorted());
    const secrets = { databaseUrl: { name: 'own' }, secretsKey: { name: 'own' } };
    expect(await secretVariables({ services: { auth: { secrets } } })).toEqual(
      needed.filter((name) => name !== 'auth'),
    );
  });

  it('no Job for payments in a sandbox, which have no database', async () => {
    const jobs = (await render('sandbox')).filter(({ kind }) => kind === 'Job');
    expect(jobs.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'bank-account-information-migrate',
      'bank-auth-migrate',
      'bank-registration-migrate',
      'bank-webhook-dispatcher-migrate',
    ]);
  });

  it('recipes of edges that are those of docs/edge, filled in', async () => {
    for (const [type, file] of [
      ['haproxy', 'haproxy.cfg'],
      ['traefik', 'traefik.yaml'],
    ] as const) {
      const objects = await render('sandbox', edgeOf(type));
      expect(objectOf(objects, 'ConfigMap', 'bank-edge').data![file]).not.toMatch(/@[A-Z_]+@/);
    }
  });
});
