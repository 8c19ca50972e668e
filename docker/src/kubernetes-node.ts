import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { certificatePem, mintCa, mintTls } from '@kontoport/issuing';
import type { CommandResult } from './engine.ts';
import { NamespaceSandbox } from './namespace-sandbox.ts';
import type { ClusterTools } from './node-tools.ts';

/** Addresses in the private network of the node. */
export const ADDRESSES = {
  node: '10.227.0.1',
  pods: '10.227.0.0/16',
  services: '10.96.0.0/16',
  api: '10.96.0.1',
  dns: '10.96.0.10',
} as const;
const API = `https://${ADDRESSES.node}:6443`;
const ETCD = 'http://127.0.0.1:2379';
/** Milliseconds, for a busy machine. */
const START_LIMIT_MS = 240_000;
/** Kernel parameters that kubelet requires: files mounted over /proc/sys show them, so those of the machine do not change. */
const KERNEL = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};
const USERS = {
  admin: { name: 'admin', group: 'system:masters' },
  kubelet: { name: 'system:node:node', group: 'system:nodes' },
};

/** A complete cluster of one node: control plane, kubelet, containerd, pod network. It leaves nothing on the machine. */
export class KubernetesNode {
  readonly #tools: ClusterTools;
  readonly folder = mkdtempSync(join(tmpdir(), 'kontoport-node-'));
  readonly #cgroup = `kontoport-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly namespaceSandbox: NamespaceSandbox;
  readonly #tokens = Object.fromEntries(
    Object.keys(USERS).map((user) => [user, randomBytes(16).toString('hex')]),
  );

  constructor(tools: ClusterTools) {
    this.#tools = tools;
    const groups = controllers().map((controller) => join(controller, this.#cgroup));
    this.namespaceSandbox = new NamespaceSandbox({
      folder: this.folder,
      first: join(tools.node, 'pause'),
      groups,
    });
  }

  #file(name: string): string {
    return join(this.folder, name);
  }

  #write(name: string, content: string | object): string {
    writeFileSync(this.#file(name), typeof content === 'string' ? content : JSON.stringify(content), {
      mode: 0o600,
    });
    return this.#file(name);
  }

  /** @param images archives as `docker save` writes them; `localhost/pause:1` is in one of them */
  async open(images: readonly string[]): Promise<void> {
    await this.#makeCertificates();
    await this.namespaceSandbox.open(this.#surroundings());
    shareControllers();
    for (const controller of controllers()) mkdirSync(join(controller, this.#cgroup), { recursive: true });
    await this.#startContainerd(images);
    await this.#startControlPlane();
    await this.#startNode();
  }

  kubectl(...args: string[]): Promise<CommandResult> {
    return this.namespaceSandbox.run(join(this.#tools.control, 'kubectl'), [
      '--kubeconfig',
      this.#file('admin.json'),
      ...args,
    ]);
  }

  /** Runs kubectl. @returns its standard output. @throws Error with its output when it fails */
  mustRun(...args: string[]): Promise<string> {
    return this.namespaceSandbox.mustRun(join(this.#tools.control, 'kubectl'), [
      '--kubeconfig',
      this.#file('admin.json'),
      ...args,
    ]);
  }

  helm(...args: string[]): Promise<CommandResult> {
    const env = { HOME: this.folder };
    return this.namespaceSandbox.run(
      join(this.#tools.control, 'helm'),
      [...args, '--kubeconfig', this.#file('admin.json')],
      { env },
    );
  }

  async apply(objects: readonly object[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.mustRun(
      'apply',
      '--server-side',
      '--force-conflicts',
      '-f',
      this.#write('applied.json', list),
    );
  }

  /** Process ids in a pod's container on the machine; the first is the container's process 1. */
  async pidsOf(namespace: string, pod: string): Promise<number[]> {
    const uid = await this.mustRun('-n', namespace, 'get', 'pod', pod, '-o', 'jsonpath={.metadata.uid}');
    const ids = await this.mustRun(
      '-n',
      namespace,
      'get',
      'pod',
      pod,
      '-o',
      'jsonpath={.status.containerStatuses[*].containerID}',
    );
    return ids.split(' ').flatMap((id) => {
      const [file] = globSync(
        `${controllers()[0]}/${this.#cgroup}/kubepods/**/pod${uid}/${id.replace('containerd://', '')}/cgroup.procs`,
      );
      return file === undefined ? [] : readIds(file);
    });
  }

  async close(): Promise<void> {
    try {
      await this.namespaceSandbox.close();
      for (const controller of controllers()) await removeGroup(join(controller, this.#cgroup));
    } finally {
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }

  async #makeCertificates(): Promise<void> {
    const at = new Date();
    const authority = await mintCa({ name: 'Kubernetes', pathLength: 0, at });
    const server = [ADDRESSES.node, ADDRESSES.api, '127.0.0.1', 'kubernetes.default.svc'];
    const { keyPem, presented } = await mintTls({
      name: 'kube-apiserver',
      use: { server },
      issuer: authority,
      days: 30,
      at,
    });
    this.#write('ca.crt', authority.certificatePem);
    this.#write('server.crt', presented!.map(certificatePem).join(''));
    this.#write('server.key', keyPem);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    this.#write('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const lines = Object.entries(USERS).map(
      ([user, { name, group }]) => `${this.#tokens[user]},${name},${user},${group}\n`,
    );
    this.#write('tokens.csv', lines.join(''));
    for (const user of Object.keys(USERS))
      this.#write(`${user}.json`, {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'it', cluster: { server: API, 'certificate-authority': this.#file('ca.crt') } }],
        users: [{ name: user, user: { token: this.#tokens[user] } }],
        contexts: [{ name: 'it', context: { cluster: 'it', user } }],
        'current-context': 'it',
      });
  }

  /** Shell script for the network of the node and the kernel parameters. */
  #surroundings(): string {
    const kernel = Object.entries(KERNEL).map(([name, value]) => {
      const file = this.#write(name.replaceAll('/', '.'), `${value}\n`);
      return `mount --bind ${file} /proc/sys/${name}`;
    });
    const names = this.#write('resolv.conf', `nameserver ${ADDRESSES.dns}\n`);
    return [
      'ip link set lo up',
      'ip link add pods type bridge',
      `ip addr add ${ADDRESSES.node}/16 dev pods`,
      'ip link set pods up',
      `ip route add ${ADDRESSES.services} dev pods`,
      'echo 1 >/proc/sys/net/ipv4/ip_forward',
      `mount --bind ${names} $(realpath /etc/resolv.conf)`,
      ...kernel,
    ].join('\n');
  }

  async #startContainerd(images: readonly string[]): Promise<void> {
    const socket = this.#file('containerd.sock');
    mkdirSync(this.#file('network'));
    this.#write('network/pods.conflist', {
      cniVersion: '1.0.0',
      name: 'pods',
      plugins: [
        {
          type: 'bridge',
          bridge: 'pods',
          isGateway: true,
          hairpinMode: true,
          ipam: {
            type: 'host-local',
            ranges: [[{ subnet: ADDRESSES.pods, gateway: ADDRESSES.node }]],
            routes: [{ dst: '0.0.0.0/0' }],
            dataDir: this.#file('addresses'),
          },
        },
        { type: 'portmap', capabilities: { portMappings: true } },
      ],
    });
    const config = `version = 2
root = "${this.#file('containers')}"
state = "${this.#file('containers-state')}"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  # Without this, no pod would start where root lacks CAP_SYS_RESOURCE.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${this.#tools.node}"
    conf_dir = "${this.#file('network')}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;
    this.namespaceSandbox.start('containerd', 'containerd', [
      '--config',
      this.#write('containerd.toml', config),
    ]);
    const ctr = ['--address', socket, '--namespace', 'k8s.io'];
    const answers = async (): Promise<boolean> =>
      (await this.namespaceSandbox.run('ctr', [...ctr, 'version'])).status === 0;
    await this.namespaceSandbox.until('containerd', answers, START_LIMIT_MS);
    for (const archive of images)
      await this.namespaceSandbox.mustRun('ctr', [...ctr, 'images', 'import', archive]);
  }

  async #startControlPlane(): Promise<void> {
    const { control } = this.#tools;
    const start = (name: string, args: readonly string[]): void =>
      void this.namespaceSandbox.start(name, join(control, name), args);
    start('etcd', etcdArguments(this.#file('etcd')));
    start('kube-apiserver', [
      `--etcd-servers=${ETCD}`,
      `--bind-address=${ADDRESSES.node}`,
      `--advertise-address=${ADDRESSES.node}`,
      '--secure-port=6443',
      `--cert-dir=${this.#file('api')}`,
      `--tls-cert-file=${this.#file('server.crt')}`,
      `--tls-private-key-file=${this.#file('server.key')}`,
      `--token-auth-file=${this.#file('tokens.csv')}`,
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      `--service-cluster-ip-range=${ADDRESSES.services}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${this.#file('accounts.key')}`,
      `--service-account-key-file=${this.#file('accounts.key')}`,
      '--kubelet-preferred-address-types=InternalIP',
    ]);
    const isReady = async (): Promise<boolean> =>
      (await this.kubectl('get', '--raw', '/readyz')).status === 0;
    await this.namespaceSandbox.until('the API server', isReady, START_LIMIT_MS);
    const admin = [`--kubeconfig=${this.#file('admin.json')}`, '--leader-elect=false', '--secure-port=0'];
    start('kube-controller-manager', [
      ...admin,
      `--root-ca-file=${this.#file('ca.crt')}`,
      `--service-account-private-key-file=${this.#file('accounts.key')}`,
      '--use-service-account-credentials=false',
    ]);
    start('kube-scheduler', admin);
  }

  async #startNode(): Promise<void> {
    const { node } = this.#tools;
    const kubelet = this.#write('kubelet.config.json', {
      ...kubeletConfiguration({ socket: this.#file('containerd.sock'), logs: this.#file('pods') }),
      cgroupRoot: `/${this.#cgroup}`,
    });
    this.namespaceSandbox.start('kubelet', join(node, 'kubelet'), [
      `--config=${kubelet}`,
      `--kubeconfig=${this.#file('kubelet.json')}`,
      '--hostname-override=node',
      `--node-ip=${ADDRESSES.node}`,
      `--root-dir=${this.#file('kubelet')}`,
      `--cert-dir=${this.#file('kubelet-certificates')}`,
    ]);
    const proxy = this.#write('proxy.config.json', {
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'nftables',
      clusterCIDR: ADDRESSES.pods,
      hostnameOverride: 'node',
      clientConnection: { kubeconfig: this.#file('admin.json') },
      // The parameters of the machine stay.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    });
    this.namespaceSandbox.start('kube-proxy', join(node, 'kube-proxy'), [`--config=${proxy}`]);
    const isReady = async (): Promise<boolean> =>
      (await this.kubectl('wait', '--for=condition=Ready', 'node/node', '--timeout=20s')).status === 0;
    await this.namespaceSandbox.until('the node', isReady, START_LIMIT_MS);
  }
}

const GROUPS = '/sys/fs/cgroup';

/** Roots of the control group hierarchies; cgroup v2 has one. */
function controllers(): string[] {
  if (existsSync(join(GROUPS, 'cgroup.controllers'))) return [GROUPS];
  return readdirSync(GROUPS, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? join(GROUPS, entry.name) : [],
  );
}

/** Enables the controllers that kubelet requires in the parent groups (cgroup v2). */
function shareControllers(): void {
  const namesIn = (file: string): string[] => readFileSync(join(GROUPS, file), 'utf8').trim().split(' ');
  if (!existsSync(join(GROUPS, 'cgroup.controllers'))) return;
  const shared = namesIn('cgroup.subtree_control');
  const wanted = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'].filter((name) => !shared.includes(name));
  const there = namesIn('cgroup.controllers').filter((name) => wanted.includes(name));
  if (there.length > 0)
    writeFileSync(join(GROUPS, 'cgroup.subtree_control'), there.map((name) => `+${name}`).join(' '));
}

const readIds = (file: string): number[] =>
  readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number);

/** Removes a control group; it stays busy for a moment after its last process has ended. */
async function removeGroup(group: string): Promise<void> {
  if (!existsSync(group)) return;
  const inside = globSync('**/', { cwd: group }).toSorted((one, other) => other.length - one.length);
  for (const name of [...inside, ''])
    await until(
      () => {
        const folder = join(group, name);
        if (existsSync(folder)) rmdirSync(folder);
        return true;
      },
      { what: `the end of ${name}` },
    );
}

function etcdArguments(folder: string): string[] {
  const peers = 'http://127.0.0.1:2380';
  mkdirSync(folder, { mode: 0o700 });
  return [
    `--data-dir=${folder}`,
    '--unsafe-no-fsync',
    '--log-level=error',
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
}

const kubeletConfiguration = ({ socket, logs }: { socket: string; logs: string }): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address: ADDRESSES.node,
  readOnlyPort: 0,
  healthzPort: 0,
  failCgroupV1: false,
  failSwapOn: false,
  cgroupDriver: 'cgroupfs',
  containerRuntimeEndpoint: `unix://${socket}`,
  // Only the API server can reach etcd.
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  clusterDNS: [ADDRESSES.dns],
  clusterDomain: 'cluster.local',
  resolvConf: '',
  makeIPTablesUtilChains: false,
  podLogsDir: logs,
  syncFrequency: '5s',
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
});
