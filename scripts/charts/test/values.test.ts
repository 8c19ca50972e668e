import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretVariables } from '@kontoport/config';
import { describeWith } from '@kontoport/testing/describe-with';
import { parse } from 'yaml';
import { generatedFiles } from '../src/main.ts';
import { missingTools } from '../src/tools.ts';
import { CHART, type Example, EXAMPLES, objectOf, podOf, render, template } from './chart.ts';
import { configOf, SERVICE_KEYS, type ServiceKey, SERVICES, variableOf } from './services.ts';

const TEXT = readFileSync(join(CHART, 'values.yaml'), 'utf8');
const VALUES = parse(TEXT) as Record<string, object> & {
  settings: object;
  services: Record<ServiceKey, { secrets: object; settings: object }>;
};
/** Used on a laptop only. */
const NOT_FOR_CLUSTERS = ['REVOCATION_LOOPBACK', 'CALLBACK_LOOPBACK'];
/** `5000` in `# @default -- `5000``, by setting. */
const DEFAULTS = new Map(
  [...TEXT.matchAll(/# @default -- (.*)\n(?: *#.*\n)* *(\w+):/g)].map(([, preset, key]) => [key!, preset!]),
);

const settingsOf = (key: ServiceKey): string[] => [
  ...Object.keys(VALUES.settings),
  ...Object.keys(VALUES.services[key].settings),
];

/** The names of all keys, settings and what Kubernetes defines left out. */
function keysIn(values: object): string[] {
  return Object.entries(values).flatMap(([key, inner]) =>
    inner === null || typeof inner !== 'object' || Array.isArray(inner) || key === 'settings'
      ? [key]
      : [key, ...keysIn(inner as object)],
  );
}

describeWith('values.yaml', { missing: missingTools() }, () => {
  it('is what values.schema.json and README.md are made of', () => {
    for (const [name, text] of Object.entries(generatedFiles()))
      expect([name, readFileSync(join(CHART, name), 'utf8')]).toEqual([name, text]);
  });

  it('explains every key', () => {
    const rows = readFileSync(join(CHART, 'README.md'), 'utf8').matchAll(/^\| (`[^`]+`) \| .* \| (.*) \|$/gm);
    const explained = [...rows];
    expect(explained.length).toBeGreaterThan(200);
    expect(explained.filter(([, , text]) => text!.trim() === '').map(([, key]) => key)).toEqual([]);
  });

  it('has no key that no template uses', () => {
    const folder = join(CHART, 'templates');
    const templates = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(tpl|yaml|txt)$/.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    const variables = Object.values(VALUES.services).flatMap(({ secrets }) => Object.keys(secrets));
    const { defaults, services, ...rest } = VALUES;
    const keys = [rest, defaults!, ...Object.values(services)].flatMap(keysIn);
    // The templates loop over services, secrets, ids and resources.
    const looped = /^(runAsUser|runAsGroup|fsGroup|requests|limits|cpu|memory)$/;
    const own = new Set<string>([...SERVICE_KEYS, ...variables]);
    const unused = keys.filter(
      (key) =>
        !own.has(key) &&
        !looped.test(key) &&
        !templates.includes(`.${key}`) &&
        !templates.includes(`"${key}"`) &&
        !/[/_]/.test(key),
    );
    expect(unused).toEqual([]);
  });

  describe('together with the templates', () => {
    const certificates = Object.fromEntries(
      SERVICE_KEYS.map((key) => [
        key,
        { databaseCertificate: 'own', ...(key === 'auth' ? {} : { kafkaCertificate: 'own' }) },
      ]),
    );
    const cases: readonly { example: Example; change: object }[] = [
      ...EXAMPLES.map((example) => ({ example, change: {} })),
      {
        example: 'production',
        change: {
          brand: { color: '#0a5aa8', logo: 'data:image/png;base64,iVBORw0KGgo=' },
          bank: { plaintext: true },
          kafka: { sasl: { oauthScope: 'x' } },
          services: certificates,
        },
      },
      { example: 'several-environments', change: { internalTls: { type: 'none' } } },
    ];
    /** Variables of containers, by the name of the service. */
    const rendered = new Map<string, Set<string>>(Object.values(SERVICES).map((name) => [name, new Set()]));
    beforeAll(async () => {
      for (const { example, change } of cases) {
        const objects = await render(example, change);
        const prefix = example === 'several-environments' ? 'kontoport' : 'bank';
        for (const [service, names] of rendered)
          for (const { name } of podOf(objectOf(objects, 'Deployment', `${prefix}-${service}`))!
            .containers[0]!.env!)
            names.add(name).add(name.replace(/_FILE$/, ''));
      }
    }, 300_000);

    it.each(SERVICE_KEYS)('sets every variable that %s reads', async (key) => {
      const set = new Set(rendered.get(SERVICES[key]));
      for (const setting of settingsOf(key)) set.add(variableOf(setting));
      for (const secret of Object.keys(VALUES.services[key].secrets)) set.add(variableOf(secret));
      const config = await configOf(key);
      expect(
        Object.keys(config).filter((name) => !set.has(name) && !NOT_FOR_CLUSTERS.includes(name)),
      ).toEqual([]);
      const secrets = Object.keys(VALUES.services[key].secrets).map(variableOf);
      expect([...secrets, 'EDGE_SECRET'].toSorted()).toEqual([...secretVariables(config)].toSorted());
    });
  });

  it.each(SERVICE_KEYS)('documents the defaults of %s, and their variables take them', async (key) => {
    const config = await configOf(key);
    const changes: Record<string, unknown> = {};
    for (const setting of settingsOf(key)) {
      const schema = config[variableOf(setting)]!;
      const preset = /^`(.*)`$/.exec(DEFAULTS.get(setting)!)?.[1];
      expect([setting, preset && schema.parse(preset)]).toEqual([setting, schema.parse(undefined)]);
      if (preset !== undefined) changes[setting] = parse(preset, { version: '1.2' }) as unknown;
    }
    const objects = await render('sandbox', { services: { [key]: { settings: changes } } });
    const { env } = podOf(objectOf(objects, 'Deployment', `bank-${SERVICES[key]}`))!.containers[0]!;
    for (const [setting, value] of Object.entries(changes))
      expect(env).toContainEqual({ name: variableOf(setting), value: String(value) });
  });
});

/** Refused values, and the words of each refusal. */
const REFUSED: readonly (readonly [title: string, example: Example, change: object, words: string])[] = [
  ['a misspelt key', 'sandbox', { enviroment: 'sandbox' }, "'enviroment' not allowed"],
  [
    'a misspelt key further down',
    'sandbox',
    { kafka: { sasl: { mechanisms: 'PLAIN' } } },
    "'mechanisms' not allowed",
  ],
  ['a misspelt setting', 'sandbox', { settings: { rateLimitClients: 1 } }, "'rateLimitClients' not allowed"],
  ['an environment of no such name', 'sandbox', { environment: 'test' }, "at '/environment'"],
  [
    'a setting beyond its bound',
    'sandbox',
    { services: { accountInformation: { settings: { ingestStreams: 65 } } } },
    '/services/accountInformation/settings/ingestStreams',
  ],
  [
    'a setting below its bound',
    'sandbox',
    { services: { accountInformation: { settings: { ingestStreams: 0 } } } },
    '/services/accountInformation/settings/ingestStreams',
  ],
  [
    'a duration without a unit',
    'sandbox',
    { settings: { rateLimitWindow: '10' } },
    '/settings/rateLimitWindow',
  ],
  ['no addresses of an edge', 'sandbox', { edge: { addresses: [] } }, '/edge/addresses'],
  ['an address that is none', 'sandbox', { edge: { addresses: ['edge.example'] } }, '/edge/addresses/0'],
  ...['10.0.0.0/33', '10.0.0.256', '2001:db8::/129'].map(
    (address) =>
      [
        `an address of an edge that is none: ${address}`,
        'sandbox',
        { edge: { addresses: [address] } },
        '/edge/addresses/0',
      ] as const,
  ),
  ...(
    [
      ['callbackAllow', 'foo'],
      ['callbackAllow', '10.20.0.0/33'],
      ['callbackAllow', '10.20.0.0/16, 10.9.8.7'],
      ['callbackDeny', '10.20.0.0/16,foo'],
      ['nameServers', 'dns.bank.example'],
      ['nameServers', '10.0.0.53/32'],
    ] as const
  ).map(
    ([setting, value]) =>
      [
        `addresses for callbacks that are none: ${setting} ${value}`,
        'sandbox',
        { services: { webhookDispatcher: { settings: { [setting]: value } } } },
        `/services/webhookDispatcher/settings/${setting}`,
      ] as const,
  ),
  [
    'a block of IPv6 for IPv4',
    'sandbox',
    { networkPolicy: { publicInternet: { except: ['fc00::/7'] } } },
    '/networkPolicy/publicInternet/except/0',
  ],
  ['a broker without a port', 'sandbox', { kafka: { brokers: ['kafka'] } }, '/kafka/brokers/0'],
  ['an address without TLS', 'sandbox', { urls: { base: 'http://api.bank.example' } }, '/urls/base'],
  [
    'two payments in a sandbox',
    'sandbox',
    { services: { payments: { replicas: 2 } } },
    'services.payments.replicas: a sandbox',
  ],
  [
    'scaled payments in a sandbox',
    'sandbox',
    { services: { payments: { autoscaling: { enabled: true } } } },
    'services.payments.autoscaling.enabled: a sandbox',
  ],
  [
    'rolled payments in a sandbox',
    'sandbox',
    { services: { payments: { updateStrategy: { type: 'RollingUpdate' } } } },
    'services.payments.updateStrategy: a sandbox',
  ],
  ['production without a bank', 'production', { bank: { address: '' } }, 'bank.address: missing'],
  [
    'production that does not say how services speak',
    'production',
    { internalTls: { type: '' } },
    'internalTls.type: missing',
  ],
  [
    'a digest that is none',
    'sandbox',
    { services: { auth: { image: { digest: 'sha256:1' } } } },
    '/services/auth/image/digest',
  ],
  [
    'a format for an edge that has its own',
    'sandbox',
    { edge: { format: 'nginx' } },
    'edge.format: edge.type haproxy has its own format',
  ],
  [
    'production without TLS to PostgreSQL',
    'production',
    { database: { tls: { caFrom: { secret: '' } } } },
    'database.tls.caFrom: missing',
  ],
  [
    'production without TLS to Kafka',
    'production',
    { kafka: { tls: { caFrom: { secret: '' } } } },
    'kafka.tls.caFrom: missing',
  ],
  [
    'a service without its secrets',
    'sandbox',
    { services: { auth: { existingSecret: '' } } },
    'services.auth.existingSecret: missing',
  ],
  ['an edge without its secret', 'sandbox', { edge: { existingSecret: '' } }, 'edge.existingSecret: missing'],
  [
    'a store of secrets without a name',
    'production',
    { externalSecrets: { storeRef: { name: '' } } },
    'externalSecrets.storeRef.name: missing',
  ],
  [
    'migrations before their secrets',
    'production',
    { migrations: { mode: 'helmHook' } },
    'migrations.mode: helmHook runs before externalSecrets has created the Secrets; use job or external\n',
  ],
  ...['envoyGateway', 'haproxy', 'traefik'].map(
    (type) =>
      [
        `an edge that the services would not know: ${type}`,
        'production',
        { edge: { type }, internalTls: { type: 'existingSecrets' } },
        'edge.internalCertificate: missing',
      ] as const,
  ),
  [
    'one host name for two addresses behind Traefik',
    'sandbox',
    { edge: { type: 'traefik' }, urls: { user: 'https://auth.sandbox.bank.example:8443' } },
    'urls: edge.type traefik',
  ],
  [
    'two scalers',
    'production',
    { services: { webhookDispatcher: { autoscaling: { enabled: true } } } },
    'services.webhookDispatcher.keda.enabled',
  ],
  [
    'two places for one thing',
    'sandbox',
    { trustAnchors: { secret: 'anchors' } },
    'trustAnchors: configMap and secret',
  ],
  ['no trust anchors', 'sandbox', { trustAnchors: { configMap: '' } }, 'trustAnchors.configMap: missing'],
  [
    'OAUTHBEARER without a place for tokens',
    'several-environments',
    { kafka: { sasl: { oauthTokenUrl: '' } } },
    'kafka.sasl.oauthTokenUrl: missing',
  ],
  [
    'a client certificate without TLS',
    'sandbox',
    { services: { auth: { databaseCertificate: 'own' } } },
    'services.auth.databaseCertificate: set without database.tls',
  ],
  [
    'an authority of a collector that is asked without TLS',
    'production',
    { tracing: { tls: { caFrom: { secret: 'collector-ca' } } } },
    'tracing.tls.caFrom: set, but tracing.endpoint is not an https address',
  ],
  [
    'a certificate for a collector that is asked without TLS',
    'sandbox',
    { tracing: { tls: { clientCertificate: 'own' } } },
    'tracing.tls.clientCertificate: set, but tracing.endpoint is not an https address',
  ],
  [
    'two authorities of a collector',
    'sandbox',
    {
      tracing: { endpoint: 'https://collector:4318', tls: { caFrom: { secret: 'one', configMap: 'other' } } },
    },
    'tracing.tls.caFrom: configMap and secret are both set',
  ],
  [
    'headers for no collector',
    'sandbox',
    { tracing: { headers: { existingSecret: 'collector' } } },
    'tracing.headers.existingSecret: set without tracing.endpoint',
  ],
  [
    'an alert of the end of a certificate that comes after the last one',
    'production',
    { metrics: { prometheusRule: { certificateExpiryDays: { critical: 14 } } } },
    'metrics.prometheusRule.certificateExpiryDays.critical: must be less than warning',
  ],
  [
    'an alert of each certificate that is renewed in time',
    'production',
    { internalTls: { type: 'certManager', renewBefore: '336h' } },
    'metrics.prometheusRule.certificateExpiryDays.warning: must be less than internalTls.renewBefore',
  ],
  ...(
    [
      ['service.beta.kubernetes.io/aws-load-balancer-proxy-protocol', '*'],
      ['service.beta.kubernetes.io/aws-load-balancer-nlb-target-type', 'ip'],
      [
        'service.beta.kubernetes.io/aws-load-balancer-target-group-attributes',
        'preserve_client_ip.enabled=false',
      ],
    ] as const
  ).map(
    ([name, value]) =>
      [
        `limits per source behind a load balancer that hides them: ${name}`,
        'sandbox',
        { edge: { haproxy: { service: { annotations: { [name]: value } } } } },
        `edge.haproxy.connectionsPerSource: the annotation ${name} hides the callers' addresses`,
      ] as const,
  ),
  ...['certificate', 'trustedCas'].map(
    (key) =>
      [
        `an edge of the chart without ${key}`,
        'sandbox',
        { edge: { [key]: '' } },
        `edge.${key}: missing`,
      ] as const,
  ),
];

describeWith('values that are wrong are refused by name', { missing: missingTools() }, () => {
  it.each(REFUSED)('%s', async (_title, example, change, words) => {
    const { code, stderr } = await template(example, change);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) as string });
  });

  it('all that is missing at once', async () => {
    const { stderr } = await template('sandbox', {
      trustAnchors: { configMap: '' },
      services: { auth: { existingSecret: '' }, registration: { existingSecret: '' } },
    });
    for (const key of [
      'trustAnchors.configMap',
      'services.auth.existingSecret',
      'services.registration.existingSecret',
    ])
      expect(stderr).toContain(`${key}: missing`);
  });

  it('what a parent chart shares is let through', async () => {
    expect(await template('sandbox', { global: { anything: { at: 'all' } } })).toMatchObject({ code: 0 });
  });
});
