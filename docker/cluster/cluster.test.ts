import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { clusterImages } from '../src/cluster-images.ts';
import { missingForCluster } from '../src/cluster-needs.ts';
import { KubernetesNode } from '../src/kubernetes-node.ts';
import { clusterTools } from '../src/node-tools.ts';
import { Bank, DOOR, LIMIT_MS, SERVICES } from './bank.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'scripts/kontoport/kontoport.mjs');
const VERSION = '1.0.0-old';
/** A folder in which images are kept for the next time. */
const KEPT = process.env.CLUSTER_IMAGES;
const report = (line: string): void =>
  void process.stderr.write(`── ${new Date().toISOString().slice(11, 19)} ${line}\n`);

describeWith('the bank in a Kubernetes of one node', { missing: missingForCluster() }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-cluster-'));
  let node: KubernetesNode;
  let bank: Bank;

  beforeAll(async () => {
    report('tools of Kubernetes');
    const tools = clusterTools();
    const images = await clusterImages({ tools, folder: KEPT ?? folder, versions: [VERSION], report });
    report('a node');
    node = new KubernetesNode(tools);
    await node.open(images.archives);
    rmSync(folder, { recursive: true });
    bank = new Bank(node, images);
    report('PostgreSQL, Apache Kafka, Envoy');
    await bank.openSurroundings();
  }, 3 * LIMIT_MS);

  afterAll(async () => {
    await node?.close();
    rmSync(folder, { recursive: true, force: true });
  }, LIMIT_MS);

  /** Helm's values: one replica, callbacks to the loopback address of the dispatcher's pod. */
  const alone = (): object => ({
    image: { tag: VERSION, pullPolicy: 'Never' },
    defaults: { replicas: 1 },
    services: bank.services({
      payments: { settings: { settlementDelay: '500ms' } },
      'webhook-dispatcher': { extraEnv: [{ name: 'CALLBACK_LOOPBACK', value: 'true' }] },
    }),
  });

  it(
    'is there after helm install, each service ready',
    async () => {
      const started = performance.now();
      await bank.helm('install', alone());
      report(`helm install took ${((performance.now() - started) / 1_000).toFixed(1)} s`);
      for (const service of SERVICES)
        expect([service, (await bank.podsOf(service)).length]).toEqual([service, 1]);
    },
    LIMIT_MS,
  );

  it(
    'passes its own test',
    async () => {
      expect(await node.helm('test', 'bank', '-n', DOOR, '--timeout', '5m')).toMatchObject({ status: 0 });
    },
    LIMIT_MS,
  );

  it(
    'holds what its services have in memory when nobody asks',
    async () => {
      let [resident, own] = [0, 0];
      for (const service of SERVICES) {
        const [pod] = await bank.podsOf(service);
        const [pid] = await node.pidsOf(DOOR, pod!);
        const memory = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
        const [rss, pss] = ['Rss', 'Pss'].map(
          (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(memory)![1]) / 1_000,
        );
        [resident, own] = [resident + rss!, own + pss!];
        report(`${service}: ${rss!.toFixed(0)} MB resident, idle`);
      }
      report(
        `all five, idle: ${resident.toFixed(0)} MB resident, ${own.toFixed(0)} MB with shared pages counted once`,
      );
      expect(own).toBeGreaterThan(50);
    },
    LIMIT_MS,
  );

  it(
    'takes a third party provider through the whole tour, through Envoy, webhooks included',
    async () => {
      const [pod] = await bank.podsOf('webhook-dispatcher');
      const [networkOf] = await node.pidsOf(DOOR, pod!);
      const said = await node.enclosure.demand(process.execPath, [PROGRAM, 'tour', '--stack', bank.stack], {
        networkOf: networkOf!,
      });
      expect(said).toContain('The tour is complete');
      report(said.trim().split('\n').at(-1)!);
    },
    LIMIT_MS,
  );
});
