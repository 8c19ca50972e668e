// The values of the chart: values.yaml, values.schema.json and the table of its README are written from here.
import { IPV4_BLOCK, IPV6_BLOCK } from './addresses.ts';
import { bank, database, kafka, tracing } from './backing-values.ts';
import {
  closed,
  flag,
  labels,
  listOf,
  objectName,
  oneOf,
  open,
  peers,
  text,
  texts,
  whole,
  withoutDefaults,
} from './building-blocks.ts';
import { edgeValues } from './edge-values.ts';
import { AS_ELSEWHERE, type JsonSchema } from './json-schema.ts';
import { kedaValues, podValues, secretValues } from './pod-values.ts';
import { SERVICE_KEYS, type ServiceKey, type Settings } from './settings.ts';

/** What the chart knows of a service, as its values need it. */
export interface ServiceFacts {
  settings: Settings;
  /** Keys of its secrets, such as `databaseUrl`. */
  secrets: readonly string[];
  kafka: boolean;
}

const URL_OF_AN_ADDRESS = '^https://[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?(/[^?#]*)?$';

/** All values of the chart; `common` are settings that every service has. */
export function chartValues(
  common: Settings,
  services: Readonly<Record<ServiceKey, ServiceFacts>>,
): JsonSchema {
  return closed(
    'Values of the chart kontoport',
    {
      global: open('Not read by this chart: what a parent chart shares with others.', { default: {} }),
      nameOverride: {
        ...objectName(
          'Instead of the name of the chart, in labels. Pods are selected by it, which cannot be changed: for a new release only.',
        ),
        maxLength: 63,
      },
      fullnameOverride: text(
        'Instead of the name of the release, before the names of objects: a letter, then letters, digits and hyphens, all lower case, 40 characters at most.',
        { default: '' },
      ),
      environment: oneOf('`sandbox`: simulated accounts and users; `production`: the bank is asked.', [
        'sandbox',
        'production',
      ]),
      urls: urls(),
      image: image(),
      settings: closed('What all services are told; `services.<name>.settings` may say otherwise.', common),
      trustAnchors: files(
        'The trust anchors of client certificates, a key for each PEM file. One that is added counts within a minute, without a restart.',
      ),
      intermediates: files(
        'Issuing CAs, trusted in nothing, that complete chains of clients that present no more than a leaf.',
      ),
      edge: edgeValues(),
      database: database(),
      kafka: kafka(),
      bank: bank(),
      internalTls: internalTls(),
      externalSecrets: externalSecrets(),
      secretsRevision: text(
        'Another text here rolls all pods: for secrets that are read at the start alone (EDGE_SECRET, SECRETS_KEY, CLIENT_SECRET_PEPPER, headers for a collector).',
        { default: '' },
      ),
      migrations: migrations(),
      networkPolicy: networkPolicy(),
      metrics: metrics(),
      tracing: tracing(),
      tests: closed('`helm test`.', { enabled: flag('', true) }),
      podSecurityContext: podSecurityContext(),
      commonLabels: labels('Labels of every object.'),
      commonAnnotations: texts('Annotations of every object.', { default: {} }),
      defaults: closed(
        'Of the pods of every service. Maps are merged with those of a service; a list of a service stands in the place of the whole list here.',
        podValues(),
      ),
      services: closed(
        'Of single services. What `defaults` names may stand here, too, and goes first: keys of maps beside those there, lists in the place of those there.',
        Object.fromEntries(SERVICE_KEYS.map((key) => [key, serviceValues(key, common, services[key])])),
      ),
      extraObjects: listOf('More objects of the release; templates in them are rendered.', {
        type: ['object', 'string'],
      }),
    },
    { required: ['environment', 'urls', 'trustAnchors', 'edge', 'kafka'], allOf: acrossKeys() },
  );
}

/** What one key asks of another. */
function acrossKeys(): JsonSchema[] {
  const off = closedPart({ enabled: { const: false } });
  return [
    {
      if: { properties: { environment: { not: { const: 'sandbox' } } } },
      // Its payments are in the memory of one process (ADR-0028 keeps them in a database in production).
      else: {
        properties: {
          services: closedPart({
            payments: closedPart({
              replicas: { const: 1 },
              autoscaling: off,
              updateStrategy: { maxProperties: 0 },
            }),
          }),
        },
      },
    },
    {
      if: { properties: { environment: { not: { const: 'production' } } } },
      else: {
        properties: {
          bank: { required: ['address'], properties: { address: { minLength: 1 } } },
          internalTls: { required: ['type'], properties: { type: { minLength: 1 } } },
        },
      },
    },
  ];
}

const closedPart = (properties: Record<string, JsonSchema>): JsonSchema => ({ properties });

function urls(): JsonSchema {
  const address = (description: string): JsonSchema => text(description, { pattern: URL_OF_AN_ADDRESS });
  return closed(
    'The four addresses, as TPPs and browsers reach them through the edge.',
    {
      base: address('`{base_url}`: accounts, payments, webhooks.'),
      registration: address('`{registration_url}`.'),
      auth: address('`{auth_url}`: tokens; it is the issuer in them.'),
      user: address("`{user_url}`: the pages of the bank's users, without client certificate."),
    },
    { required: ['base', 'registration', 'auth', 'user'] },
  );
}

function image(): JsonSchema {
  return closed('The images: `registry/repository/<service>:tag`.', {
    registry: text('Where images are pulled from.', { default: '' }),
    repository: text('Before the name of the service.', { default: 'kontoport' }),
    tag: text('The appVersion of the chart, if empty.', { default: '' }),
    pullPolicy: oneOf('', ['Always', 'IfNotPresent', 'Never'], { default: 'IfNotPresent' }),
    pullSecrets: listOf('Names of Secrets, `{name}` each.', {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' } },
      additionalProperties: false,
    }),
  });
}

function files(description: string): JsonSchema {
  return closed(description, {
    configMap: objectName('A ConfigMap …'),
    secret: objectName('… or a Secret.'),
  });
}

function internalTls(): JsonSchema {
  return closed('Mutual TLS between the services. Production needs it said.', {
    type: oneOf(
      '`certManager`: Certificates of cert-manager; `existingSecrets`: see `services.<name>.internalCertificate`; `none`. If empty: none, in a sandbox.',
      ['', 'certManager', 'existingSecrets', 'none'],
      { default: '' },
    ),
    issuerRef: closed('Of the Certificates. Without a name the chart makes a CA of its own.', {
      name: objectName(''),
      kind: text('', { default: 'Issuer' }),
      group: text('', { default: 'cert-manager.io' }),
    }),
    duration: text('', { default: '2160h' }),
    renewBefore: text('', { default: '720h' }),
    clusterDomain: text('', { default: 'cluster.local' }),
  });
}

function externalSecrets(): JsonSchema {
  return closed('Secrets come from a store, through the External Secrets Operator.', {
    enabled: flag('', false),
    storeRef: closed('', { name: objectName(''), kind: text('', { default: 'SecretStore' }) }),
    refreshInterval: text('', { default: '1h' }),
    prefix: text(
      'Each service has the entry `<prefix>/<service>` in the store, the edge `<prefix>/edge`; properties are named after variables.',
      { default: 'kontoport' },
    ),
  });
}

function migrations(): JsonSchema {
  return closed('A Job for each database; the schema is changed before the pods that need it start.', {
    mode: oneOf(
      '`helmHook`: before install and upgrade; `argoSync`: in the PreSync of Argo CD; `job`: with everything else, while pods wait for it; `external`: not by the chart.',
      ['helmHook', 'argoSync', 'job', 'external'],
      { default: 'helmHook' },
    ),
    activeDeadlineSeconds: whole('Until a Job has failed, which in mode `job` none does.', {
      default: 900,
      minimum: 10,
    }),
    backoffLimit: whole('How often a Job is tried again; in mode `job` until it is done.', {
      default: 3,
      minimum: 0,
    }),
    resources: closed('', {
      requests: open('', { default: { cpu: '50m', memory: '96Mi' } }),
      limits: open('', { default: { memory: '256Mi' } }),
    }),
  });
}

function networkPolicy(): JsonSchema {
  const port = (preset: number): JsonSchema => whole('', { default: preset, minimum: 1, maximum: 65_535 });
  return closed('NetworkPolicies: who calls whom is known; nothing else is let through.', {
    enabled: flag('', true),
    edge: closed('The edge.', {
      from: peers(
        'Who may call the public ports beside the edge of this chart. Without both: `edge.addresses`.',
      ),
    }),
    dns: closed('Name servers.', {
      to: peers('', [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
      ]),
    }),
    database: closed('PostgreSQL.', { to: peers('Anywhere, if empty.'), port: port(5432) }),
    kafka: closed('Kafka, on the ports of `kafka.brokers`.', { to: peers('Anywhere, if empty.') }),
    bank: closed("The bank's systems.", {
      to: peers('What `bank.address` leads to. Anywhere, if empty.'),
      from: peers('Who feeds account-information (kontoport.accounts.v1). Nobody, if empty.'),
    }),
    metrics: closed('Who reads metrics.', {
      from: peers('', [
        {
          namespaceSelector: {},
          podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
        },
      ]),
    }),
    tracing: closed('The collector of traces.', { to: peers('Anywhere, if empty.') }),
    publicInternet: closed('What counts as the public internet, for callbacks, OCSP and CRL.', {
      except: listOf('Blocks of addresses that do not.', text('', { pattern: IPV4_BLOCK }), {
        default: [
          '10.0.0.0/8',
          '100.64.0.0/10',
          '127.0.0.0/8',
          '169.254.0.0/16',
          '172.16.0.0/12',
          '192.168.0.0/16',
        ],
      }),
      exceptIPv6: listOf('', text('', { pattern: IPV6_BLOCK }), { default: ['fc00::/7', 'fe80::/10'] }),
    }),
  });
}

function metrics(): JsonSchema {
  const chosenBy = labels('By which the operator chooses.');
  return closed('For the Prometheus Operator and Grafana.', {
    serviceMonitor: closed('', {
      enabled: flag('', false),
      interval: text('', { default: '15s' }),
      labels: chosenBy,
    }),
    prometheusRule: closed(
      'Recording rules and alerts. They are of all environments that a Prometheus watches: enable them in one release of it.',
      {
        enabled: flag('', false),
        labels: chosenBy,
        alertLabels: texts('Of each alert besides, such as `team`; `severity` replaces what the rules say.', {
          default: {},
        }),
        runbooks: text(
          'Where the pages of docs/operations/alerts can be read: `runbook_url` of each alert begins with it.',
          { default: 'docs/operations/alerts', minLength: 1 },
        ),
        certificateEndsDays: closed(
          'Days before the end of a certificate at which it is told, fewer than it is renewed before (`internalTls.renewBefore`).',
          {
            warning: whole('', { default: 14, minimum: 1, maximum: 365 }),
            critical: whole('', { default: 2, minimum: 1, maximum: 365 }),
          },
        ),
      },
    ),
    dashboards: closed('ConfigMaps that the sidecar of Grafana finds.', {
      enabled: flag('', false),
      labels: { ...labels(''), default: { grafana_dashboard: '1' } },
      annotations: texts('', { default: {} }),
    }),
  });
}

function podSecurityContext(): JsonSchema {
  const id = (minimum: 0 | 1): JsonSchema => ({ type: ['integer', 'null'], minimum, default: 10_001 });
  return closed(
    'Ids under which all pods run, those of the edge, of migrations and of tests among them. One that is `null` is left to the cluster, as OpenShift wants it.',
    { runAsUser: id(1), runAsGroup: id(0), fsGroup: id(0) },
  );
}

function serviceValues(key: ServiceKey, common: Settings, facts: ServiceFacts): JsonSchema {
  const overrides = elsewhere(podValues());
  return closed('', {
    image: closed('', {
      repository: text('Instead of the one that `image` makes.', { default: '' }),
      tag: text('', { default: '' }),
      digest: text('Of the image, instead of a tag.', { default: '', pattern: '^(sha256:[0-9a-f]{64})?$' }),
    }),
    existingSecret: objectName(
      `A Secret with ${facts.secrets.map(variableOf).join(', ')} as far as they are needed.${
        facts.secrets.includes('secretsKey') ? ' SECRETS_KEY may be several keys, separated by commas.' : ''
      }`,
    ),
    secrets: secretValues(facts.secrets),
    settings: closed('', { ...facts.settings, ...elsewhere(common) }),
    databaseCertificate: objectName('A Secret of type kubernetes.io/tls that PostgreSQL is shown.'),
    ...(facts.kafka
      ? {
          kafkaCertificate: objectName('A Secret of type kubernetes.io/tls that Kafka is shown.'),
          kafkaUsername: text('The name of the service, if empty; of OAUTHBEARER the client id.', {
            default: '',
          }),
        }
      : {}),
    internalCertificate: objectName(
      '`internalTls.type: existingSecrets`: a Secret with tls.crt, tls.key, ca.crt; the certificate names the service (`auth`) and its Service (`<release>-auth`).',
    ),
    ...(key === 'webhookDispatcher' ? { keda: kedaValues() } : {}),
    ...overrides,
  });
}

/** What overrides values of another place. */
function elsewhere(values: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(values).map(([name, schema]) => [
      name,
      { $comment: AS_ELSEWHERE, ...withoutDefaults(schema) },
    ]),
  );
}

/** `DATABASE_URL` for `databaseUrl`. */
export function variableOf(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
