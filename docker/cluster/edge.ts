import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { service } from './backing.ts';

export const EDGE = 'edge';
export const EDGE_HOST = `edge.${EDGE}.svc.cluster.local`;
const RECIPE = join(import.meta.dirname, '../../docs/edge/envoy.yaml');
export const EDGE_PORTS = { base: 8443, registration: 8444, auth: 8445, user: 8446 } as const;
const INTERNAL = '/etc/edge/internal';

interface Cluster {
  name: string;
  connect_timeout: string;
  transport_socket?: object;
}

interface Recipe {
  static_resources: { clusters: Cluster[] };
}

/** docs/edge/envoy.yaml, filled in, with the certificate that the services know the edge by. */
function configuration({
  release,
  namespace,
  secret,
}: {
  release: string;
  namespace: string;
  secret: string;
}): string {
  const filled: Record<string, string> = {
    SERVER_CERTIFICATE: '/etc/edge/server/tls.crt',
    SERVER_KEY: '/etc/edge/server/tls.key',
    TRUSTED_CAS: '/etc/edge/trusted/ca.crt',
    EDGE_SECRET: secret,
  };
  for (const [address, port] of Object.entries(EDGE_PORTS)) {
    filled[`${address.toUpperCase()}_HOST`] = '0.0.0.0';
    filled[`${address.toUpperCase()}_PORT`] = String(port);
  }
  const text = readFileSync(RECIPE, 'utf8').replaceAll(/@([A-Z_]+)@/g, (whole, name: string) => {
    const [, upstream, part] = /^(.*)_UPSTREAM_(HOST|PORT)$/.exec(name) ?? [];
    if (part === 'HOST') return `${release}-${serviceOf(upstream!)}.${namespace}.svc.cluster.local`;
    if (part === 'PORT') return upstream === 'USER' ? '8081' : '8080';
    return filled[name] ?? whole;
  });
  const recipe = { ...(parse(text, { merge: true }) as Recipe), node: { id: 'edge', cluster: 'edge' } };
  for (const cluster of recipe.static_resources.clusters)
    cluster.transport_socket = internalTls(
      `${release}-${serviceOf(cluster.name)}.${namespace}.svc.cluster.local`,
    );
  return JSON.stringify(recipe);
}

const serviceOf = (upstream: string): string => {
  const name = upstream.toLowerCase().replaceAll('_', '-');
  return name === 'user' ? 'auth' : name;
};

/** The certificate of the edge, read again whenever its Secret changes, and the host's name in that of the service. */
const internalTls = (host: string): object => ({
  name: 'envoy.transport_sockets.tls',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    sni: host,
    common_tls_context: {
      tls_certificate_sds_secret_configs: [sds('certificate')],
      combined_validation_context: {
        default_validation_context: {
          match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: host } }],
        },
        validation_context_sds_secret_config: sds('authority'),
      },
    },
  },
});

const sds = (name: string): object => ({
  name,
  sds_config: { resource_api_version: 'V3', path_config_source: { path: `/etc/edge/recipe/${name}.json` } },
});

const secretResource = (name: string, what: object): string =>
  JSON.stringify({
    resources: [
      { '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret', name, ...what },
    ],
  });

const watched = { watched_directory: { path: INTERNAL } };

/** An Envoy in two pods, with a Secret `server` and a Secret `internal`, and a ConfigMap `trusted`, beside it. */
export function edge(options: {
  image: string;
  release: string;
  namespace: string;
  secret: string;
}): object[] {
  const at = { name: 'edge', namespace: EDGE };
  const volumes = {
    recipe: { secret: { secretName: 'recipe' } },
    server: { secret: { secretName: 'server' } },
    internal: { secret: { secretName: 'internal' } },
    trusted: { configMap: { name: 'trusted' } },
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'recipe', namespace: EDGE },
      stringData: {
        'envoy.json': configuration(options),
        'certificate.json': secretResource('certificate', {
          tls_certificate: {
            certificate_chain: { filename: `${INTERNAL}/tls.crt` },
            private_key: { filename: `${INTERNAL}/tls.key` },
            ...watched,
          },
        }),
        'authority.json': secretResource('authority', {
          validation_context: { trusted_ca: { filename: `${INTERNAL}/ca.crt` }, ...watched },
        }),
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: at,
      spec: {
        selector: { matchLabels: { app: 'edge' } },
        template: {
          metadata: { labels: { app: 'edge' } },
          spec: {
            enableServiceLinks: false,
            automountServiceAccountToken: false,
            securityContext: {
              runAsNonRoot: true,
              runAsUser: 10_001,
              runAsGroup: 10_001,
              fsGroup: 10_001,
              seccompProfile: { type: 'RuntimeDefault' },
            },
            containers: [
              {
                name: 'envoy',
                image: options.image,
                imagePullPolicy: 'Never',
                command: ['envoy', '-c', '/etc/edge/recipe/envoy.json', '--disable-hot-restart'],
                args: ['--concurrency', '2', '--log-level', 'warning'],
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
                readinessProbe: { tcpSocket: { port: EDGE_PORTS.base }, periodSeconds: 1 },
                volumeMounts: Object.keys(volumes).map((name) => ({
                  name,
                  mountPath: `/etc/edge/${name}`,
                  readOnly: true,
                })),
              },
            ],
            volumes: Object.entries(volumes).map(([name, volume]) => ({ name, ...volume })),
          },
        },
      },
    },
    service({ name: 'edge', namespace: EDGE, ports: EDGE_PORTS }),
  ];
}
