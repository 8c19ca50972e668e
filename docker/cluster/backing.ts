// Backing services of the bank in its cluster: DNS, PostgreSQL, Apache Kafka. Their data are on the node and outlive their pods.
import { ADDRESSES } from '../src/kubernetes-node.ts';

export const BACKING = 'backing';
export const POSTGRES_HOST = `postgres.${BACKING}.svc.cluster.local`;
export const BROKER = `kafka.${BACKING}.svc.cluster.local:9092`;
/** Databases of the services that have one in the sandbox. */
const DATABASES = ['registration', 'auth', 'account_information', 'webhook_dispatcher'];

export const namespace = (name: string, labels: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

export const service = (options: {
  name: string;
  namespace: string;
  ports: Record<string, number>;
  more?: object;
}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: options.name, namespace: options.namespace },
  spec: {
    selector: { app: options.name },
    ports: Object.entries(options.ports).map(([name, port]) => ({ name, port })),
    ...options.more,
  },
});

/** CoreDNS, which resolves the names of Services. */
export function dns(image: string): object[] {
  const [name, at] = ['dns', { name: 'dns', namespace: 'kube-system' }];
  const corefile = `.:53 {
  errors
  ready
  kubernetes cluster.local
}
`;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [
        { apiGroups: [''], resources: ['services', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', ...at }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data: { Corefile: corefile } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: at,
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            serviceAccountName: name,
            dnsPolicy: 'Default',
            containers: [
              {
                name,
                image,
                imagePullPolicy: 'Never',
                args: ['-conf', '/etc/dns/Corefile'],
                readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
                volumeMounts: [{ name: 'config', mountPath: '/etc/dns' }],
              },
            ],
            volumes: [{ name: 'config', configMap: { name } }],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: at,
      spec: {
        clusterIP: ADDRESSES.dns,
        selector: { app: name },
        ports: (['UDP', 'TCP'] as const).map((protocol) => ({
          name: protocol.toLowerCase(),
          port: 53,
          protocol,
        })),
      },
    },
  ];
}

/** A single pod with a folder of the node. */
function keeper(options: {
  name: string;
  image: string;
  args?: string[];
  env: Record<string, string>;
  port: number;
  user: number;
  folder: string;
  mountPath: string;
  more?: { mounts: object[]; volumes: object[] };
}): object {
  const {
    name,
    image,
    args,
    env,
    port,
    user,
    folder,
    mountPath,
    more = { mounts: [], volumes: [] },
  } = options;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace: BACKING },
    spec: {
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          enableServiceLinks: false,
          securityContext: { runAsUser: user, runAsGroup: user },
          containers: [
            {
              name,
              image,
              imagePullPolicy: 'Never',
              ...(args && { args }),
              env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
              readinessProbe: { tcpSocket: { port }, periodSeconds: 1, failureThreshold: 1 },
              volumeMounts: [{ name: 'data', mountPath }, ...more.mounts],
            },
          ],
          volumes: [{ name: 'data', hostPath: { path: folder } }, ...more.volumes],
        },
      },
    },
  };
}

/** PostgreSQL with the databases of the services. */
export const postgres = (options: { image: string; password: string; folder: string }): object[] => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'databases', namespace: BACKING },
    data: { 'databases.sql': DATABASES.map((name) => `CREATE DATABASE ${name};\n`).join('') },
  },
  keeper({
    name: 'postgres',
    image: options.image,
    args: ['postgres', '-c', 'max_connections=250'],
    env: { POSTGRES_PASSWORD: options.password },
    port: 5432,
    user: 999,
    folder: options.folder,
    mountPath: '/var/lib/postgresql',
    more: {
      mounts: [{ name: 'databases', mountPath: '/docker-entrypoint-initdb.d' }],
      volumes: [{ name: 'databases', configMap: { name: 'databases' } }],
    },
  }),
  service({ name: 'postgres', namespace: BACKING, ports: { postgres: 5432 } }),
];

/** A combined Kafka broker and controller. */
export const kafka = (options: { image: string; folder: string }): object[] => [
  keeper({
    name: 'kafka',
    image: options.image,
    env: {
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_LISTENERS: 'PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${BROKER}`,
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@127.0.0.1:9093',
      KAFKA_LOG_DIRS: '/var/lib/kafka/data',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_MIN_INSYNC_REPLICAS: '1',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    },
    port: 9092,
    user: 1000,
    folder: options.folder,
    mountPath: '/var/lib/kafka/data',
  }),
  // The broker connects to itself by its name before it is ready.
  service({
    name: 'kafka',
    namespace: BACKING,
    ports: { kafka: 9092 },
    more: { publishNotReadyAddresses: true },
  }),
];
