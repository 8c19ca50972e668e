import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { SERVICE_IDENTITIES, type ServiceIdentity } from '@kontoport/internal-tls';
import {
  certificatePem,
  ensureSandboxCa,
  type Issued,
  mintCa,
  mintTls,
  readIssuer,
  type SandboxCa,
} from '@kontoport/issuing';
import type { ClusterImages } from '../src/cluster-images.ts';
import { ADDRESSES, type KubernetesNode } from '../src/kubernetes-node.ts';
import { BACKING, BROKER, dns, kafka, namespace, postgres, POSTGRES_HOST } from './backing.ts';
import { EDGE, edge, EDGE_HOST, EDGE_PORTS } from './edge.ts';
import type { LoadOrder } from './load.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHART = join(ROOT, 'charts/kontoport');
export const RELEASE = 'bank';
export const DOOR = 'open-banking';
/** Limit of waits for a busy machine. */
export const LIMIT = '10m';
export const LIMIT_MS = 600_000;

/** Environment variables in the Secret of each service. */
const NEEDS: Record<string, readonly string[]> = {
  registration: ['DATABASE_URL', 'CLIENT_SECRET_PEPPER'],
  auth: ['DATABASE_URL', 'SECRETS_KEY'],
  'account-information': ['DATABASE_URL', 'SECRETS_KEY'],
  payments: [],
  'webhook-dispatcher': ['DATABASE_URL', 'SECRETS_KEY'],
};
export const SERVICES = Object.keys(NEEDS);
const keyOf = (service: string): string =>
  service.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const internalSecret = (peer: string): string => (peer === 'edge' ? 'internal' : `${peer}-internal`);
const key32 = (): string => randomBytes(32).toString('base64url');

const secret = (name: string, at: string, stringData: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: at },
  stringData,
});

const configMap = (name: string, at: string, data: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: at },
  data,
});

/** The part of a Pod that is read here. */
interface Pod {
  metadata: { name: string; uid: string; deletionTimestamp?: string };
  status: {
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}

/** Whether a pod gets requests: a terminating one does not. */
const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** The bank in a cluster: its backing services and the release of the chart. */
export class Bank {
  readonly #node: KubernetesNode;
  readonly #images: ClusterImages;
  readonly #password = key32();
  readonly #edgeSecret = key32();
  #internal!: Issued;
  #ca!: SandboxCa;
  /** The stack file by which a tour finds the bank. */
  stack = '';

  constructor(node: KubernetesNode, images: ClusterImages) {
    [this.#node, this.#images] = [node, images];
  }

  /** Starts DNS, PostgreSQL, Apache Kafka with its topics, and the edge. */
  async openSurroundings(): Promise<void> {
    const node = this.#node;
    const folder = (name: string, user: number): string => {
      const made = join(node.folder, `data-${name}`);
      mkdirSync(made, { mode: 0o700 });
      chownSync(made, user, user);
      return made;
    };
    await node.apply([
      namespace(DOOR, { 'pod-security.kubernetes.io/enforce': 'restricted' }),
      namespace(EDGE, { 'pod-security.kubernetes.io/enforce': 'restricted' }),
      namespace(BACKING),
    ]);
    await this.#makeSecrets();
    await node.apply([
      ...dns(this.#images.dns),
      ...postgres({
        image: this.#images.postgres,
        password: this.#password,
        folder: folder('postgres', 999),
      }),
      ...kafka({ image: this.#images.kafka, folder: folder('kafka', 1_000) }),
      ...edge({ image: this.#images.envoy, release: RELEASE, namespace: DOOR, secret: this.#edgeSecret }),
    ]);
    await this.rolled('kube-system', 'deployment/dns');
    for (const name of ['postgres', 'kafka']) await this.rolled(BACKING, `statefulset/${name}`);
    const env = { KAFKA_BROKERS: BROKER };
    await node.namespaceSandbox.mustRun(process.execPath, [join(ROOT, 'docker/src/make-topics.ts')], { env });
  }

  /** Waits until the backing services are ready. */
  async rolled(at: string, what: string): Promise<void> {
    await this.#node.mustRun('-n', at, 'rollout', 'status', what, `--timeout=${LIMIT}`);
  }

  /** Waits until no pod of another version is left. */
  async only(pods: number): Promise<void> {
    const count = async (): Promise<number> =>
      (
        await this.#node.mustRun(
          '-n',
          DOOR,
          'get',
          'pods',
          '-l',
          'app.kubernetes.io/component!=test',
          '-o',
          'name',
        )
      )
        .split('\n')
        .filter((name) => name !== '' && !name.includes('-migrate-')).length;
    await until(async () => (await count()) === pods, {
      what: `${pods} pods, and no other`,
      timeout: LIMIT_MS,
    });
  }

  /** Kills the process of a service's pod, and waits until its container has restarted. */
  async killProcess(pod: string): Promise<void> {
    const restarts = async (): Promise<number> =>
      (await this.#pod(DOOR, pod)).status.containerStatuses![0]!.restartCount;
    const before = await restarts();
    const [pid] = await this.#node.pidsOf(DOOR, pod);
    process.kill(pid!, 'SIGKILL');
    await until(async () => (await restarts()) > before, {
      what: `the restart of ${pod}`,
      timeout: LIMIT_MS,
    });
  }

  /** Deletes the pod of PostgreSQL or Apache Kafka with a grace period of a second, and waits until its replacement is ready. */
  async killBacking(name: 'postgres' | 'kafka'): Promise<void> {
    const pod = `${name}-0`;
    const { uid } = (await this.#pod(BACKING, pod)).metadata;
    // Not zero: a replacement could open its files before its processes have ended.
    await this.#node.mustRun('-n', BACKING, 'delete', 'pod', pod, '--grace-period=1');
    const isAnother = async (): Promise<boolean> => {
      const now = await this.#pod(BACKING, pod);
      return now.metadata.uid !== uid && isReady(now);
    };
    await until(isAnother, { what: `another ${pod}`, timeout: LIMIT_MS });
  }

  async #pod(at: string, name: string): Promise<Pod> {
    return JSON.parse(await this.#node.mustRun('-n', at, 'get', 'pod', name, '-o', 'json')) as Pod;
  }

  async #makeSecrets(): Promise<void> {
    const folder = join(this.#node.folder, 'bank');
    const trustAnchors = join(folder, 'trust-anchors');
    const at = new Date();
    this.#ca = await ensureSandboxCa({ folder: join(folder, 'ca'), trustAnchors, at });
    this.#internal = await mintCa({ name: 'Internal CA', pathLength: 0, at });
    const server = await mintTls({
      name: EDGE_HOST,
      use: { server: [EDGE_HOST] },
      issuer: await readIssuer(this.#ca.issuingCa),
      days: 30,
      at,
    });
    const root = readFileSync(this.#ca.root.certificate, 'utf8');
    const values: Record<string, string> = { CLIENT_SECRET_PEPPER: key32(), SECRETS_KEY: key32() };
    const own = Object.entries(NEEDS).map(([service, needs]) => {
      const database = service.replaceAll('-', '_');
      const url = `postgres://postgres:${this.#password}@${POSTGRES_HOST}:5432/${database}`;
      const given = needs.map((name) => [name, name === 'DATABASE_URL' ? url : values[name]!]);
      return secret(service, DOOR, Object.fromEntries(given));
    });
    await this.#node.apply([
      ...own,
      secret('edge', DOOR, { EDGE_SECRET: this.#edgeSecret }),
      configMap('trust-anchors', DOOR, { 'root.pem': root }),
      configMap('trusted', EDGE, { 'ca.crt': root }),
      secret('server', EDGE, {
        'tls.crt': server.presented!.map(certificatePem).join(''),
        'tls.key': server.keyPem,
      }),
    ]);
    for (const peer of SERVICE_IDENTITIES) await this.certify(peer);
    this.stack = join(folder, 'stack.json');
    const url = (name: keyof typeof EDGE_PORTS): string => `https://${EDGE_HOST}:${EDGE_PORTS[name]}`;
    const { root: serverCa, issuingCa } = this.#ca;
    const urls = {
      baseUrl: url('base'),
      registrationUrl: url('registration'),
      authUrl: url('auth'),
      userUrl: url('user'),
    };
    writeFileSync(
      this.stack,
      JSON.stringify({ ...urls, serverCa: serverCa.certificate, trustAnchors, issuingCa }),
    );
  }

  /** Issues a certificate of the internal authority to a peer, in the Secret that its pods mount. @param seconds until it expires */
  async certify(peer: ServiceIdentity, seconds = 30 * 86_400): Promise<void> {
    const host = `${RELEASE}-${peer}`;
    const names = [peer, host, `${host}.${DOOR}.svc.cluster.local`];
    const { keyPem, presented } = await mintTls({
      name: peer,
      use: { peer: names },
      issuer: this.#internal,
      days: 30,
      at: new Date(Date.now() + (seconds - 30 * 86_400) * 1_000),
    });
    const files = {
      'tls.crt': presented!.map(certificatePem).join(''),
      'tls.key': keyPem,
      'ca.crt': this.#internal.certificatePem,
    };
    await this.#node.apply([secret(internalSecret(peer), peer === 'edge' ? EDGE : DOOR, files)]);
    if (peer !== 'bank') return;
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(this.#node.folder, `bank/${name}`), content);
  }

  /** Writes the configuration file of a load run. @returns its path */
  loadOrder(): string {
    const own = (name: string): string => join(this.#node.folder, 'bank', name);
    const order: LoadOrder = {
      ...(JSON.parse(readFileSync(this.stack, 'utf8')) as Omit<LoadOrder, 'receiver' | 'bank' | 'ledger'>),
      receiver: ADDRESSES.node,
      bank: { certificate: own('tls.crt'), key: own('tls.key'), authority: own('ca.crt') },
      ledger: `${RELEASE}-account-information.${DOOR}.svc.cluster.local:9090`,
    };
    writeFileSync(own('load.json'), JSON.stringify(order));
    return own('load.json');
  }

  #valuesFile(changes: object): string {
    const url = (name: keyof typeof EDGE_PORTS): string => `https://${EDGE_HOST}:${EDGE_PORTS[name]}`;
    const values = {
      environment: 'sandbox',
      urls: { base: url('base'), registration: url('registration'), auth: url('auth'), user: url('user') },
      trustAnchors: { configMap: 'trust-anchors' },
      edge: { type: 'none', format: 'xfcc', addresses: [ADDRESSES.pods], existingSecret: 'edge' },
      kafka: { brokers: [BROKER] },
      internalTls: { type: 'existingSecrets' },
      settings: { revocation: 'off' },
      ...changes,
    };
    const file = join(this.#node.folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return file;
  }

  /** Chart values of one service, merged with those of a test. */
  services(changes: Record<string, object> = {}): object {
    const each = SERVICES.map((service) => [
      keyOf(service),
      {
        existingSecret: service,
        internalCertificate: internalSecret(service),
        ...changes[service],
      },
    ]);
    return Object.fromEntries(each) as object;
  }

  /** Runs `helm install` or `upgrade` and waits until everything is ready. @throws Error with Helm's output */
  async helm(verb: 'install' | 'upgrade', changes: object): Promise<void> {
    const file = this.#valuesFile(changes);
    const { status, stdout, stderr } = await this.#node.helm(
      verb,
      RELEASE,
      CHART,
      `--namespace=${DOOR}`,
      `--values=${file}`,
      '--wait',
      `--timeout=${LIMIT}`,
    );
    if (status !== 0) {
      const pods = await this.#node.kubectl('-n', DOOR, 'get', 'pods,events', '-o', 'wide');
      throw new Error(`helm ${verb} ended with ${status}: ${stdout}${stderr}${pods.stdout}`);
    }
  }

  /** Names of a service's ready pods, oldest first. */
  async podsOf(service: string): Promise<string[]> {
    const of = ['-n', DOOR, 'get', 'pods', '-l', `app.kubernetes.io/component=${service}`];
    const { items } = JSON.parse(
      await this.#node.mustRun(...of, '--sort-by=.metadata.creationTimestamp', '-o', 'json'),
    ) as { items: Pod[] };
    return items.filter(isReady).map(({ metadata }) => metadata.name);
  }
}
