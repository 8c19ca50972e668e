import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import { clusterImages } from '../src/cluster-images.ts';
import { missingForCluster } from '../src/cluster-needs.ts';
import { ADDRESSES, KubernetesNode } from '../src/kubernetes-node.ts';
import { clusterTools } from '../src/node-tools.ts';
import { Bank, DOOR, LIMIT_MS, RELEASE, SERVICES } from './bank.ts';
import { RunningLoad } from './running-load.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'scripts/programs/kontoport/kontoport.mjs');
const [OLD, NEW] = ['1.0.0-old', '1.0.0-new'];
/** Folder in which images are kept for the next run. */
const KEPT = process.env.CLUSTER_IMAGES;
const IDLE_LIMIT_MS = 120_000;
const LOOK_MS = 1_000;
const report = (line: string): void =>
  void process.stderr.write(`── ${new Date().toISOString().slice(11, 19)} ${line}\n`);

/** A figure of a process's memory. */
const megabytes = (pid: number, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]) /
  1_000;

describeWith('the bank in a Kubernetes of one node', { missing: missingForCluster() }, () => {
  let node: KubernetesNode;
  let bank: Bank;

  beforeAll(async () => {
    report('tools of Kubernetes');
    const tools = clusterTools();
    node = new KubernetesNode(tools);
    // The folder of the node, and what is in it, is removed at the end.
    const folder = KEPT ?? node.folder;
    const images = await clusterImages({ tools, folder, versions: [OLD, NEW], report });
    report('a node');
    await node.open(images.archives);
    if (KEPT === undefined) for (const archive of images.archives) rmSync(archive);
    bank = new Bank(node, images);
    report('PostgreSQL, Apache Kafka, Envoy');
    await bank.openSurroundings();
    const started = performance.now();
    await bank.helm('install', alone());
    report(`helm install took ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  }, 4 * LIMIT_MS);

  afterAll(() => node?.close(), LIMIT_MS);

  /** Helm's values: one replica, callbacks to the loopback address of the dispatcher's pod. */
  const alone = (): object => ({
    image: { tag: OLD, pullPolicy: 'Never' },
    defaults: { replicas: 1 },
    services: bank.services({
      payments: { settings: { settlementDelay: '500ms' } },
      'webhook-dispatcher': { extraEnv: [{ name: 'CALLBACK_LOOPBACK', value: 'true' }] },
    }),
  });

  it(
    'is there after helm install, each service ready',
    async () => {
      for (const service of SERVICES)
        expect([service, (await bank.podsOf(service)).length]).toEqual([service, 1]);
    },
    LIMIT_MS,
  );

  it(
    'passes its own test',
    async () => {
      // `helm test` also succeeds for a release without tests.
      expect(await node.helm('test', 'bank', '-n', DOOR, '--timeout', '5m')).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/TEST SUITE: +bank-test[^]*Phase: +Succeeded/) as string,
      });
    },
    LIMIT_MS,
  );

  it(
    'holds at most 530 MB when nobody asks, 330 MB with shared pages counted once',
    async () => {
      const pids = await Promise.all(
        SERVICES.map(async (service) => (await node.pidsOf(DOOR, (await bank.podsOf(service))[0]!))[0]!),
      );
      const held = (name: string): number[] => pids.map((pid) => megabytes(pid, name));
      const sum = (figures: readonly number[]): number => Math.round(figures.reduce((all, one) => all + one));
      let [resident, own] = [held('Rss'), held('Pss')];
      try {
        await until(
          async () => {
            [resident, own] = [held('Rss'), held('Pss')];
            return (sum(resident) <= 750 && sum(own) <= 550) || pause(LOOK_MS, false);
          },
          { what: 'little memory', timeout: IDLE_LIMIT_MS },
        );
      } finally {
        const each = SERVICES.map((service, at) => `${service} ${resident[at]!.toFixed(0)}`).join(', ');
        report(`MB, idle: ${each}; all ${sum(resident)}, with shared pages counted once ${sum(own)}`);
      }
      expect([sum(resident) <= 750, sum(own) <= 550]).toEqual([true, true]);
    },
    LIMIT_MS,
  );

  it(
    'takes a third party provider through the whole tour, through Envoy, webhooks included',
    async () => {
      const [pod] = await bank.podsOf('webhook-dispatcher');
      const [networkOf] = await node.pidsOf(DOOR, pod!);
      const said = await node.namespaceSandbox.mustRun(
        process.execPath,
        [PROGRAM, 'tour', '--stack', bank.stack],
        {
          networkOf: networkOf!,
        },
      );
      expect(said).toContain('The tour is complete');
      report(said.trim().split('\n').at(-1)!);
    },
    LIMIT_MS,
  );

  /** Two replicas, whose callbacks lead to the load's receiver. */
  const twofold = (tag: string): object => ({
    image: { tag, pullPolicy: 'Never' },
    defaults: { replicas: 2 },
    services: bank.services({
      'webhook-dispatcher': {
        settings: { callbackAllow: ADDRESSES.pods },
        extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/kontoport/trust-anchors/root.pem' }],
      },
    }),
  });

  describe('under load, with two replicas of what has a database', () => {
    let load: RunningLoad;
    beforeAll(async () => {
      await bank.helm('upgrade', twofold(OLD));
      // Pods with the old values still answer for a while.
      await bank.only(9);
      load = new RunningLoad(node, bank.loadOrder());
      await load.open();
      await load.served(LIMIT_MS);
    }, 2 * LIMIT_MS);
    afterAll(() => load?.kill());

    it(
      'is upgraded: no request fails; of the one pod of payments there are documented 503s meanwhile',
      async () => {
        const before = await load.absences();
        const started = performance.now();
        await bank.helm('upgrade', twofold(NEW));
        report(`helm upgrade took ${((performance.now() - started) / 1_000).toFixed(1)} s`);
        await load.served(LIMIT_MS);
        report(JSON.stringify((await load.report()).answers));
        expect(await load.failures()).toEqual([]);
        expect(await load.absences()).toEqual(before);
      },
      2 * LIMIT_MS,
    );

    it.each(SERVICES)(
      'outlives the death of a process of %s',
      async (service) => {
        const [pod] = await bank.podsOf(service);
        await bank.killProcess(pod!);
        await bank.rolled(DOOR, `deployment/${RELEASE}-${service}`);
        await load.served(LIMIT_MS);
        expect(await load.failures()).toEqual([]);
      },
      LIMIT_MS,
    );

    it.each(['kafka', 'postgres'] as const)(
      'outlives the death of the pod of %s',
      async (name) => {
        await bank.killBacking(name);
        await load.served(LIMIT_MS);
        expect(await load.failures()).toEqual([]);
      },
      LIMIT_MS,
    );

    it(
      'outlives an internal certificate that expired: its service is away until another one is there',
      async () => {
        // Long enough for its pods to read it on a busy machine: they reject one that has expired by then.
        await bank.certify('account-information', 60);
        await until(async () => (await bank.podsOf('account-information')).length === 0, {
          what: 'the end of the certificate',
          timeout: LIMIT_MS,
        });
        await bank.certify('account-information');
        await until(async () => (await bank.podsOf('account-information')).length === 2, {
          what: 'pods that are ready again',
          timeout: LIMIT_MS,
        });
        await load.served(LIMIT_MS);
        expect(await load.failures()).toEqual([]);
      },
      LIMIT_MS,
    );

    it(
      'has told of everything that was booked meanwhile',
      async () => {
        const { answers, booked, missing, repeated } = await load.close();
        report(JSON.stringify({ answers, booked, repeated }));
        expect([booked > 0, missing]).toEqual([true, 0]);
      },
      LIMIT_MS,
    );
  });
});
