// What the services speak to.
import { authorities, closed, flag, listOf, objectName, oneOf, text } from './building-blocks.ts';
import type { JsonSchema } from './json-schema.ts';

/** PostgreSQL. */
export function database(): JsonSchema {
  return closed('PostgreSQL: each service has a database and a role of its own; the URL is a secret.', {
    tls: closed('Needed in production.', authorities('PostgreSQL')),
  });
}

/** Kafka. */
export function kafka(): JsonSchema {
  return closed(
    'Kafka; docs/operations/backing-services.md says what it must enforce.',
    {
      brokers: listOf(
        '`host:port` each.',
        { type: 'string', pattern: '^[^\\s:/@[\\]]+:[0-9]{1,5}$' },
        { minItems: 1 },
      ),
      tls: closed('Needed in production, and with SASL.', authorities('the brokers')),
      sasl: closed('How the services prove who they are; their names are usernames unless they say others.', {
        mechanism: oneOf('', ['', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'], { default: '' }),
        oauthTokenUrl: text('OAUTHBEARER: where tokens are given for client credentials.', { default: '' }),
        oauthScope: text('', { default: '' }),
      }),
    },
    { required: ['brokers'] },
  );
}

/** The bank's own systems. */
export function bank(): JsonSchema {
  return closed("What the bank's own systems serve (kontoport.bank.v1); production needs it.", {
    address: text('host:port.', { default: '', pattern: '^([^\\s/]+:[0-9]{1,5})?$' }),
    tls: closed('', {
      ...authorities('the bank'),
      clientCertificate: objectName('A Secret of type kubernetes.io/tls that proves who asks.'),
    }),
    plaintext: flag('Without TLS also to another machine, where the network itself encrypts.', false),
  });
}

/** The collector of traces. */
export function tracing(): JsonSchema {
  return closed('OpenTelemetry.', {
    endpoint: text(
      'OTLP endpoint of a collector, such as http://collector:4318. Without it nothing is traced.',
      {
        default: '',
        pattern: '^(https?://.+)?$',
      },
    ),
    tls: closed('To a collector with https; files that are read at the start.', {
      caFrom: {
        ...authorities('the collector').caFrom,
        description:
          'Where the certification authorities that verify the collector stand as PEM. If empty: those of the image.',
      },
      clientCertificate: objectName('A Secret of type kubernetes.io/tls that the collector is shown.'),
    }),
    headers: closed('What proves the services to the collector.', {
      existingSecret: objectName('A Secret with headers, such as `x-key=one,authorization=Basic%20eD15`.'),
      key: text('The key in it.', { default: 'OTEL_EXPORTER_OTLP_HEADERS', minLength: 1 }),
    }),
    share: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.1,
      description:
        'The share of the traces that is recorded, whatever a caller says. What it costs: docs/operations/capacity.md.',
    },
  });
}
