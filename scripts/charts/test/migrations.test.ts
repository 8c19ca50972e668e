import { describeWith } from '@kontoport/testing/describe-with';
import { missingTools } from '../src/tools.ts';
import { type KubernetesObject, objectOf, podOf, render } from './chart.ts';
import { SERVICES } from './services.ts';

const MODES = ['helmHook', 'argoSync', 'job'];
const ofAll = {
  tolerations: [{ key: 'pool', operator: 'Exists', effect: 'NoSchedule' }],
  nodeSelector: { pool: 'banking' },
  affinity: { nodeAffinity: {} },
  priorityClassName: 'banking',
};
const ofAuth = { ...ofAll, nodeSelector: { pool: 'doors' } };

const jobsOf = (objects: readonly KubernetesObject[]): KubernetesObject[] =>
  objects.filter(({ kind }) => kind === 'Job');
const jobOf = (objects: readonly KubernetesObject[], service: string): KubernetesObject =>
  jobsOf(objects).find(({ metadata }) => metadata.name.startsWith(`bank-${service}-migrate`))!;

describeWith('pods that migrate and test', { missing: missingTools() }, () => {
  it.each(MODES)('run where those of their service do, in mode %s', async (mode) => {
    const objects = await render('sandbox', {
      migrations: { mode },
      defaults: ofAll,
      services: { auth: { nodeSelector: { pool: 'doors' } } },
    });
    expect(jobsOf(objects)).toHaveLength(4);
    for (const [service, placed] of [
      ['auth', ofAuth],
      ['registration', ofAll],
    ] as const) {
      expect(podOf(jobOf(objects, service))).toMatchObject(placed);
      expect(podOf(objectOf(objects, 'Deployment', `bank-${service}`))).toMatchObject(placed);
    }
    expect(podOf(objectOf(objects, 'Pod', 'bank-test'))).toMatchObject(ofAll);
  });

  it('say nothing of where they run, if nothing is said', async () => {
    const objects = await render('sandbox');
    for (const pod of [jobOf(objects, 'auth'), objectOf(objects, 'Pod', 'bank-test')])
      for (const key of Object.keys(ofAll)) expect(podOf(pod)).not.toHaveProperty(key);
  });

  it('are part of the chart: helm test asks each service whether it is ready', async () => {
    const { args } = podOf(objectOf(await render('sandbox'), 'Pod', 'bank-test'))!.containers[0]!;
    for (const service of Object.values(SERVICES))
      expect(args![0]).toContain(`http://bank-${service}:9000/readyz`);
  });

  it('never give up while pods wait for them: a Job that failed would stay, and bar every upgrade', async () => {
    const { spec } = jobOf(await render('sandbox', { migrations: { mode: 'job' } }), 'auth');
    expect(spec).toMatchObject({ template: { spec: { restartPolicy: 'OnFailure' } } });
    // The maximum of Kubernetes.
    expect(spec!.backoffLimit).toBe(2 ** 31 - 1);
    expect(spec).not.toHaveProperty('activeDeadlineSeconds');
  });

  it.each(['helmHook', 'argoSync'])('give up where nothing begins before them, in mode %s', async (mode) => {
    const migrations = { mode, backoffLimit: 5, activeDeadlineSeconds: 60 };
    const { spec } = jobOf(await render('sandbox', { migrations }), 'auth');
    expect(spec).toMatchObject({
      backoffLimit: 5,
      activeDeadlineSeconds: 60,
      template: { spec: { restartPolicy: 'Never' } },
    });
  });
});
