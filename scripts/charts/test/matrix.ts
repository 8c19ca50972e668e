import { additionOf, ADDITIONS, type Example, EXAMPLES } from './chart.ts';

const EDGES = ['envoyGateway', 'haproxy', 'traefik', 'none'];
export const MODES = ['helmHook', 'argoSync', 'job', 'external'];
export const SECRETS = { externalSecrets: { enabled: false }, edge: { existingSecret: 'edge' } };
export const ALL_SECRETS = Object.fromEntries(
  ['registration', 'auth', 'accountInformation', 'payments', 'webhookDispatcher'].map((key) => [
    key,
    { existingSecret: key.toLowerCase() },
  ]),
);
export const edgeOf = (type: string): object => ({
  edge: {
    type,
    format: type === 'none' ? 'rfc9440' : '',
    existingSecret: 'edge',
    certificate: 'server',
    trustedCas: 'trusted-cas',
  },
});

/** The cases render every option, at least in pairs. */
export const MATRIX: readonly (readonly [name: string, example: Example, change: object])[] = [
  ...EXAMPLES.map((example) => [`example ${example}`, example, {}] as const),
  ...Object.entries(ADDITIONS).map(
    ([name, example]) => [`example ${name}`, example, additionOf(name as keyof typeof ADDITIONS)] as const,
  ),
  ...EDGES.map((type) => [`sandbox behind ${type}`, 'sandbox', edgeOf(type)] as const),
  ...EDGES.map((type) => [`production behind ${type}`, 'production', edgeOf(type)] as const),
  ...MODES.map(
    (mode) =>
      [
        `production with migrations ${mode}`,
        'production',
        { ...SECRETS, services: ALL_SECRETS, migrations: { mode } },
      ] as const,
  ),
  ['everything off', 'sandbox', { networkPolicy: { enabled: false }, tests: { enabled: false } }],
  [
    'sandbox with metrics, a store of secrets and certificates of its own',
    'sandbox',
    {
      metrics: {
        serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
        prometheusRule: { enabled: true },
        dashboards: { enabled: true },
      },
      externalSecrets: { enabled: true, storeRef: { name: 'vault' } },
      migrations: { mode: 'job' },
      internalTls: { type: 'existingSecrets' },
      edge: { internalCertificate: 'internal' },
      services: Object.fromEntries(
        Object.keys(ALL_SECRETS).map((key) => [key, { internalCertificate: 'internal' }]),
      ),
    },
  ],
];
