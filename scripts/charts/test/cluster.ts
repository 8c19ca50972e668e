import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardProcess } from '@kontoport/embedded/guard';
import { freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { toolsFolder } from '../src/tools.ts';
import { type Ran, runTool } from './chart.ts';

/** A machine may be busy. */
const START_LIMIT_MS = 240_000;

/** A control plane of Kubernetes with one simulated node: it validates objects, and runs nothing. */
export class Cluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kontoport-cluster-'));
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #children: { name: string; child: ChildProcess; log: string }[] = [];

  /** Starts it, with the resources that the chart uses beside those of Kubernetes. */
  async open(): Promise<void> {
    const [client, peer, api] = await freePorts(3);
    writeFileSync(join(this.#folder, 'tokens.csv'), 'test,admin,1,system:masters\n');
    writeFileSync(this.kubeconfig, kubeconfigOf(api!));
    execFileSync('openssl', ['genrsa', '-out', join(this.#folder, 'sa.key'), '2048'], { stdio: 'ignore' });
    this.#run('etcd', etcdArguments({ folder: this.#folder, client: client!, peer: peer! }));
    this.#run('kube-apiserver', apiArguments({ folder: this.#folder, etcd: client!, port: api! }));
    await this.#until(
      'the API server',
      async () => (await this.kubectl('get', '--raw', '/readyz')).code === 0,
    );
    const config = ['--kubeconfig', this.kubeconfig];
    this.#run('kube-controller-manager', [
      ...config,
      '--secure-port=0',
      `--service-account-private-key-file=${join(this.#folder, 'sa.key')}`,
      '--leader-elect=false',
      '--use-service-account-credentials=false',
      '--node-monitor-grace-period=24h',
    ]);
    this.#run('kube-scheduler', [...config, '--secure-port=0', '--leader-elect=false']);
    this.#run('kwok', [...config, '--manage-all-nodes=true', '--config', join(toolsFolder(), 'stages.yaml')]);
    await this.apply(NODE);
    await this.mustKubectl('apply', '--server-side', '-f', join(toolsFolder(), 'crds.yaml'));
    // `kubectl wait` fails for an object without a status.
    const has = async (condition: string, ...what: string[]): Promise<boolean> =>
      (await this.kubectl('wait', `--for=condition=${condition}`, ...what, '--timeout=20s')).code === 0;
    await this.#until('the custom resources', () => has('Established', 'crd', '--all'));
    await this.#until('the node', () => has('Ready', 'node/made-up'));
    await this.#until(
      'service accounts',
      async () => (await this.kubectl('-n', 'default', 'get', 'serviceaccount', 'default')).code === 0,
    );
  }

  /** kubectl caches files in HOME, which is removed with the cluster. */
  get #environment(): NodeJS.ProcessEnv {
    return { HOME: this.#folder };
  }

  get kubeconfig(): string {
    return join(this.#folder, 'kubeconfig');
  }

  kubectl(...args: string[]): Promise<Ran> {
    return runTool('kubectl', ['--kubeconfig', this.kubeconfig, ...args], this.#environment);
  }

  /** @throws Error with its words when it is refused */
  async mustKubectl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  helm(...args: string[]): Promise<Ran> {
    return runTool('helm', [...args, '--kubeconfig', this.kubeconfig], this.#environment);
  }

  async apply(text: string): Promise<void> {
    const file = join(this.#folder, 'applied.yaml');
    writeFileSync(file, text);
    await this.mustKubectl('apply', '--server-side', '-f', file);
  }

  /** Asks the API server to judge objects, each warning being a refusal; nothing is kept. */
  judge(text: string): Promise<Ran> {
    const file = join(this.#folder, 'judged.yaml');
    writeFileSync(file, text);
    return this.kubectl('apply', '--server-side', '--dry-run=server', '--warnings-as-errors', '-f', file);
  }

  async close(): Promise<void> {
    // etcd is the last one: without it the API server would not end.
    for (const stop of this.#stops.toReversed()) await stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(name: string, args: readonly string[]): void {
    const log = join(this.#folder, `${name}.log`);
    const output = openSync(log, 'a');
    // A control plane would take all cores while it starts; suites beside it hold leases of seconds.
    const child = spawn('nice', ['-n', '10', join(toolsFolder(), name), ...args], {
      cwd: this.#folder,
      env: { PATH: process.env.PATH, HOME: this.#folder },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const ended = once(child, 'close');
    const guard = guardProcess({ pid: child.pid!, signal: 'KILL' });
    this.#children.push({ name, child, log });
    this.#stops.push(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
      guard.release();
    });
  }

  async #until(what: string, condition: () => Promise<boolean>): Promise<void> {
    await until(
      async () => {
        const dead = this.#children.find(({ child }) => child.exitCode !== null);
        return dead !== undefined || condition();
      },
      { timeout: START_LIMIT_MS, what },
    );
    const dead = this.#children.find(({ child }) => child.exitCode !== null);
    if (dead) throw new Error(`${dead.name} ended:\n${readFileSync(dead.log, 'utf8').slice(-3_000)}`);
  }
}

const NODE = `apiVersion: v1
kind: Node
metadata:
  name: made-up
  labels: { kubernetes.io/os: linux, kubernetes.io/arch: amd64, kubernetes.io/hostname: made-up }
  annotations: { kwok.x-k8s.io/node: fake }
`;

const kubeconfigOf = (port: number): string => `apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: 'https://127.0.0.1:${port}', insecure-skip-tls-verify: true } }]
users: [{ name: admin, user: { token: test } }]
contexts: [{ name: test, context: { cluster: test, user: admin } }]
current-context: test
`;

function etcdArguments({ folder, client, peer }: { folder: string; client: number; peer: number }): string[] {
  mkdirSync(join(folder, 'etcd'), { mode: 0o700 });
  const [clients, peers] = [client, peer].map((port) => `http://127.0.0.1:${port}`);
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    '--log-level=error',
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
}

function apiArguments({ folder, etcd, port }: { folder: string; etcd: number; port: number }): string[] {
  const key = join(folder, 'sa.key');
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--service-cluster-ip-range=10.96.0.0/16,fd00:96::/108',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${key}`,
    `--service-account-key-file=${key}`,
    '--endpoint-reconciler-type=none',
  ];
}
