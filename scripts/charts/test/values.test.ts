import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { generatedFiles, readValues } from '../src/main.ts';
import { admitRenamed, readRenames } from '../src/renames.ts';
import { missingTools } from '../src/tools.ts';
import { CHART, type Example, runTool, template, valuesOf } from './chart.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('values of the chart have one source', () => {
  it('values.yaml, values.schema.json and README.md are what it says', async () => {
    for (const [name, text] of Object.entries(generatedFiles(CHART, await readValues(ROOT))))
      expect([name, readFileSync(join(CHART, name), 'utf8')]).toEqual([name, text]);
  });

  it('every object of the schema is closed but those that say so', async () => {
    const open: string[] = [];
    const walk = (
      schema: { properties?: Record<string, never>; type?: string; additionalProperties?: unknown },
      path: string,
    ): void => {
      if (schema.type === 'object' && schema.additionalProperties === undefined) open.push(path);
      for (const [key, inner] of Object.entries(schema.properties ?? {})) walk(inner, `${path}.${key}`);
    };
    walk((await readValues(ROOT)) as never, '');
    const allowed = /^\.(global|.*\.(affinity|updateStrategy|requests|limits))$/;
    expect(open.filter((path) => !allowed.test(path))).toEqual([]);
    expect(open).toContain('.global');
  });

  it('a renamed value that is a value still is refused', () => {
    const schema = { type: 'object', properties: { old: { type: 'string' } } };
    expect(() => admitRenamed(schema, [{ from: 'old', to: 'new' }])).toThrow('old is a value still');
    expect(() => readRenames('[{ from: old }]')).toThrow('no `from` and `to`');
  });
});

/** What is refused, and with which words. */
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
    '/services/payments/replicas',
  ],
  [
    'scaled payments in a sandbox',
    'sandbox',
    { services: { payments: { autoscaling: { enabled: true } } } },
    '/services/payments/autoscaling/enabled',
  ],
  [
    'rolled payments in a sandbox',
    'sandbox',
    { services: { payments: { updateStrategy: { type: 'RollingUpdate' } } } },
    '/services/payments/updateStrategy',
  ],
  ['production without a bank', 'production', { bank: { address: '' } }, '/bank/address'],
  [
    'production that does not say how services speak',
    'production',
    { internalTls: { type: '' } },
    '/internalTls/type',
  ],
  [
    'a digest that is none',
    'sandbox',
    { services: { auth: { image: { digest: 'sha256:1' } } } },
    '/services/auth/image/digest',
  ],
  ['a format for an edge that has its own', 'sandbox', { edge: { format: 'nginx' } }, '/edge/format'],
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
    'migrations.mode: helmHook runs before the Secrets of externalSecrets are there; take job or external\n',
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
    'services.auth.databaseCertificate: given without database.tls',
  ],
  [
    'an authority of a collector that is asked without TLS',
    'production',
    { tracing: { tls: { caFrom: { secret: 'collector-ca' } } } },
    'tracing.tls.caFrom: given without an address of https in tracing.endpoint',
  ],
  [
    'a certificate for a collector that is asked without TLS',
    'sandbox',
    { tracing: { tls: { clientCertificate: 'own' } } },
    'tracing.tls.clientCertificate: given without an address of https in tracing.endpoint',
  ],
  [
    'two authorities of a collector',
    'sandbox',
    {
      tracing: { endpoint: 'https://collector:4318', tls: { caFrom: { secret: 'one', configMap: 'other' } } },
    },
    'tracing.tls.caFrom: configMap and secret are both given',
  ],
  [
    'headers for no collector',
    'sandbox',
    { tracing: { headers: { existingSecret: 'collector' } } },
    'tracing.headers.existingSecret: given without tracing.endpoint',
  ],
  [
    'an alert of the end of a certificate that comes after the last one',
    'production',
    { metrics: { prometheusRule: { certificateEndsDays: { critical: 14 } } } },
    'metrics.prometheusRule.certificateEndsDays.critical: not less than warning',
  ],
  [
    'an alert of each certificate that is renewed in time',
    'production',
    { internalTls: { type: 'certManager', renewBefore: '336h' } },
    'metrics.prometheusRule.certificateEndsDays.warning: not less than internalTls.renewBefore',
  ],
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

  it('a value that was renamed is told where it is now', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kontoport-renamed-'));
    try {
      cpSync(CHART, folder, { recursive: true });
      writeFileSync(join(folder, 'renames.yaml'), '- { from: postgresql.tls.ca, to: database.tls.ca }\n');
      const files = generatedFiles(folder, await readValues(ROOT));
      writeFileSync(join(folder, 'values.schema.json'), files['values.schema.json']!);
      const with_ = (change: object): ReturnType<typeof runTool> =>
        runTool('helm', ['template', 'bank', folder, ...valuesOf('sandbox', [change])]);
      expect(await with_({ postgresql: { tls: { ca: 'system' } } })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('postgresql.tls.ca: it is database.tls.ca now') as string,
      });
      expect(await with_({})).toMatchObject({ code: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
