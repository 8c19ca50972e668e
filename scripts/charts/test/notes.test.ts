import { describeWith } from '@kontoport/testing/describe-with';
import { missingTools } from '../src/tools.ts';
import { CHART, NAMESPACE, runTool, valuesOf } from './chart.ts';

/** Returns the notes that Helm prints after an installation. */
async function notesOf(change: object): Promise<string> {
  const args = [
    'install',
    'bank',
    CHART,
    '--dry-run=client',
    '-n',
    NAMESPACE,
    ...valuesOf('sandbox', [change]),
  ];
  const { stdout, code, stderr } = await runTool('helm', args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.slice(stdout.indexOf('NOTES:'));
}

const rolling = (rollingUpdate: object): object => ({ type: 'RollingUpdate', rollingUpdate });

describeWith('notes of an installation', { missing: missingTools() }, () => {
  it('tell the sum of the connections, and what is next', async () => {
    const notes = await notesOf({ services: { auth: { replicas: 3 } } });
    // Two generations while pods roll: 18 × 2, 10 × 4, 10 × 2, 10 × 2.
    expect(notes).toMatch(/max_connections >= +116,/);
    expect(notes).toContain('bank-edge-base, -registration, -auth and -user');
    expect(notes).toContain('helm test bank --namespace open-banking');
  });

  it.each([
    ['LoadBalancer', 256, 'Check that the load balancer preserves the addresses of callers'],
    ['ClusterIP', 256, 'WARNING: the edge has no external address'],
    ['ClusterIP', 0, ''],
  ])('ask for limits per source that fit a Service of type %s: %i', async (type, limit, words) => {
    const limits = { connectionsPerSource: limit, connectionRatePerSource: limit };
    const notes = await notesOf({ edge: { haproxy: { ...limits, service: { type } } } });
    expect(notes).toContain(words);
    expect(notes.includes('connectionsPerSource')).toBe(words !== '');
  });

  it.each([
    ['as many more as are there', rolling({ maxSurge: '100%' }), 10],
    ['a share of them, rounded up', rolling({ maxSurge: '30%' }), 7],
    ['a number', rolling({ maxSurge: 3 }), 8],
    ['none', rolling({ maxSurge: 0, maxUnavailable: 1 }), 5],
    ['a quarter, as Kubernetes has it, where nothing is said of it', { type: 'RollingUpdate' }, 7],
    ['none where all end before', { type: 'Recreate' }, 5],
    ['one, if nothing is said', {}, 6],
  ])('count the pods beside 5 while they roll: %s', async (_title, updateStrategy, most) => {
    const notes = await notesOf({ services: { auth: { replicas: 5, updateStrategy } } });
    expect(notes).toMatch(
      new RegExp(`auth +${most * 10} = 10 x 5 replicas, plus ${(most - 5) * 10} during an update`),
    );
    // The other services have one replica, and one more while they roll.
    expect(notes).toMatch(new RegExp(`max_connections >= +${36 + most * 10 + 20 + 20},`));
  });

  it('count the replicas that a scaler may make', async () => {
    const autoscaling = { enabled: true, maxReplicas: 8 };
    const updateStrategy = rolling({ maxSurge: '50%' });
    expect(await notesOf({ services: { auth: { autoscaling, updateStrategy } } })).toMatch(
      /auth +120 = 10 x 8 replicas, plus 40 during an update/,
    );
  });
});
