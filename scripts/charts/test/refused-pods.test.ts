import { describeWith } from '@kontoport/testing/describe-with';
import { missingTools } from '../src/tools.ts';
import { type Container, objectOf, podOf, render, template } from './chart.ts';

const ofAuth = (auth: object): object => ({ services: { auth } });
const ofAll = (defaults: object): object => ({ defaults });
const volume = (name: string): object => ({ name, emptyDir: {} });
const mount = (name: string, mountPath: string): object => ({ name, mountPath });

/** Values that Kubernetes would refuse only after the migrations have run, and the words with which the chart refuses them. */
const REFUSED: readonly (readonly [title: string, change: object, words: string])[] = [
  [
    'a variable that the chart gives',
    ofAuth({ extraEnv: [{ name: 'TOKEN_ISSUER', value: 'x' }] }),
    'services.auth.extraEnv: TOKEN_ISSUER is set by the chart itself',
  ],
  [
    'a variable that a setting gives',
    { settings: { logLevel: 'warn' }, ...ofAll({ extraEnv: [{ name: 'LOG_LEVEL', value: 'debug' }] }) },
    'defaults.extraEnv: LOG_LEVEL is set by the chart itself',
  ],
  [
    'a variable twice',
    ofAuth({ extraEnv: [{ name: 'ONE' }, { name: 'OTHER' }, { name: 'ONE' }] }),
    'services.auth.extraEnv: ONE occurs twice',
  ],
  ['a variable without a name', ofAuth({ extraEnv: [{ value: 'x' }] }), "at '/services/auth/extraEnv/0'"],
  [
    'a variable that is a number',
    ofAll({ extraEnv: [{ name: 'ONE', value: 1 }] }),
    "at '/defaults/extraEnv/0/value'",
  ],
  [
    'a volume that the chart has',
    ofAll({ extraVolumes: [volume('tmp')] }),
    'defaults.extraVolumes: tmp is set by the chart itself',
  ],
  [
    'a volume for migrations that the chart has',
    { migrations: { mode: 'job' }, ...ofAuth({ extraVolumes: [volume('database-url')] }) },
    'services.auth.extraVolumes: database-url is set by the chart itself',
  ],
  [
    'a volume twice',
    ofAuth({ extraVolumes: [volume('one'), volume('one')] }),
    'services.auth.extraVolumes: one occurs twice',
  ],
  ['a volume without a name', ofAll({ extraVolumes: [{ emptyDir: {} }] }), "at '/defaults/extraVolumes/0'"],
  [
    'a mount of no volume',
    ofAuth({ extraVolumeMounts: [mount('one', '/one')] }),
    'services.auth.extraVolumeMounts: there is no volume one',
  ],
  [
    'a mount where the chart has one',
    ofAuth({ extraVolumes: [volume('one')], extraVolumeMounts: [mount('one', '/etc/kontoport/secrets')] }),
    'services.auth.extraVolumeMounts: /etc/kontoport/secrets is set by the chart itself',
  ],
  [
    'two mounts in one place',
    ofAuth({ extraVolumeMounts: [mount('tmp', '/one'), mount('tmp', '/one')] }),
    'services.auth.extraVolumeMounts: /one occurs twice',
  ],
  [
    'a common label that the chart has',
    { commonLabels: { 'app.kubernetes.io/version': '1' } },
    'commonLabels: app.kubernetes.io/version is set by the chart itself',
  ],
  [
    'a label by which all pods are selected',
    ofAll({ podLabels: { 'app.kubernetes.io/name': 'door' } }),
    'defaults.podLabels: app.kubernetes.io/name is set by the chart itself',
  ],
  [
    'a label by which pods of a service are selected',
    ofAuth({ podLabels: { 'app.kubernetes.io/component': 'door' } }),
    'services.auth.podLabels: app.kubernetes.io/component is set by the chart itself',
  ],
  ['a label with blanks', { commonLabels: { team: 'Open Banking' } }, "at '/commonLabels/team'"],
  [
    'fewer pods at most than at least',
    ofAuth({ autoscaling: { enabled: true, maxReplicas: 1 } }),
    'services.auth.autoscaling.minReplicas: 2 is more than maxReplicas, 1',
  ],
  [
    'the same of all services',
    ofAll({ autoscaling: { enabled: true, minReplicas: 7 } }),
    'defaults.autoscaling.minReplicas: 7 is more than maxReplicas, 6',
  ],
  [
    'the same of KEDA',
    { services: { webhookDispatcher: { keda: { enabled: true, minReplicas: 9 } } } },
    'services.webhookDispatcher.keda.minReplicas: 9 is more than maxReplicas, 6',
  ],
  [
    'a strategy that neither adds nor takes away',
    ofAll({ updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } }),
    'defaults.updateStrategy.rollingUpdate: maxSurge and maxUnavailable are both 0',
  ],
  [
    'a rolling update of pods that end at once',
    ofAuth({ updateStrategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
    'services.auth.updateStrategy.rollingUpdate: set together with type Recreate',
  ],
  [
    'a surge that is none',
    ofAll({ updateStrategy: { rollingUpdate: { maxSurge: 'all' } } }),
    "at '/defaults/updateStrategy/rollingUpdate/maxSurge'",
  ],
  ...['abc', '0%', '101%', 0].map(
    (maxUnavailable) =>
      [
        `a disruption budget that is none: ${maxUnavailable}`,
        ofAll({ podDisruptionBudget: { maxUnavailable } }),
        "at '/defaults/podDisruptionBudget/maxUnavailable'",
      ] as const,
  ),
];

describeWith('what Kubernetes would refuse of pods is refused by name', { missing: missingTools() }, () => {
  it.each(REFUSED)('%s', async (_title, change, words) => {
    const { code, stderr } = await template('sandbox', change);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) as string });
  });

  it('and no more: variables, volumes and labels beside those of the chart', async () => {
    const objects = await render('sandbox', {
      commonLabels: { team: 'door', stage: 'test' },
      defaults: {
        extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
        extraVolumes: [volume('one')],
        extraVolumeMounts: [mount('one', '/one'), { ...mount('tmp', '/etc/one'), subPath: 'one' }],
        podLabels: { team: 'pods' },
        podDisruptionBudget: { maxUnavailable: '50%' },
        podAnnotations: { 'checksum/values': 'mine', 'kubectl.kubernetes.io/default-container': 'mine' },
      },
    });
    const deployment = objectOf(objects, 'Deployment', 'bank-auth');
    const { env, volumeMounts } = podOf(deployment)!.containers[0] as Container;
    expect(env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://proxy:3128' });
    expect(volumeMounts).toContainEqual({ name: 'one', mountPath: '/one' });
    expect(deployment.metadata.labels).toMatchObject({ team: 'door', stage: 'test' });
    const { metadata } = deployment.spec!.template as {
      metadata: { labels: object; annotations: Record<string, string> };
    };
    expect(metadata.labels).toMatchObject({ team: 'pods', stage: 'test' });
    expect(metadata.annotations).toMatchObject({ 'kubectl.kubernetes.io/default-container': 'mine' });
    expect(metadata.annotations['checksum/values']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('nor where nothing is said in the place of a default', async () => {
    const nothing = ['extraEnv', 'extraVolumes', 'extraVolumeMounts', 'podLabels', 'podAnnotations'];
    const defaults = Object.fromEntries(nothing.map((key) => [key, null]));
    expect(
      await template('sandbox', { defaults, commonLabels: null, commonAnnotations: null }),
    ).toMatchObject({ code: 0 });
  });
});
