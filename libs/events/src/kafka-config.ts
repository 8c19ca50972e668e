import {
  crossFieldCheck,
  type ErrorLog,
  list,
  type RawEnv,
  type Reloadable,
  reloadableSecret,
} from '@kontoport/config';
import { isLoopback, reloadableTls, tlsFaults, type TlsOptions } from '@kontoport/internal-tls';
import { z } from 'zod';
import { oauthTokens } from './oauth-tokens.ts';

const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;
/** kafkajs accepts names here that resolve to IPv6 addresses, but not the addresses. */
const BROKER = /^[^\s:/@[\]]+:\d{1,5}$/;

const text = z.string().min(1).max(1_000).optional();

/** The variables of a service that uses Kafka. */
export const kafkaConfig = {
  /** `host:port` of the brokers, separated by commas. */
  KAFKA_BROKERS: crossFieldCheck(
    list.refine((brokers) => brokers.every((broker) => BROKER.test(broker)), 'host:port each'),
    kafkaFaults,
  ),
  /** PEM file of certification authorities, or `system`. Enables TLS and verifies the names of brokers. */
  KAFKA_TLS_CA: z.string().optional(),
  /** PEM file of a client certificate. */
  KAFKA_TLS_CERT: z.string().optional(),
  /** PEM file of the client certificate's key. */
  KAFKA_TLS_KEY: z.string().optional(),
  /** SASL mechanism, in addition to a client certificate or instead of it. */
  KAFKA_SASL_MECHANISM: z.enum(MECHANISMS).optional(),
  /** User name for `PLAIN` and `SCRAM`. */
  KAFKA_SASL_USERNAME: text,
  /** Password for `PLAIN` and `SCRAM`. */
  KAFKA_SASL_PASSWORD: reloadableSecret(z.string().min(1).max(10_000)).optional(),
  /** Token endpoint for `OAUTHBEARER` (client credentials, RFC 6749 §4.4). */
  KAFKA_SASL_OAUTH_TOKEN_URL: z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => !URL.canParse(url) || new URL(url).protocol === 'https:' || isLoopback(new URL(url).hostname),
      'https',
    )
    .optional(),
  /** Client id at the token endpoint. */
  KAFKA_SASL_OAUTH_CLIENT_ID: text,
  /** Client secret at the token endpoint. */
  KAFKA_SASL_OAUTH_CLIENT_SECRET: reloadableSecret(z.string().min(1).max(10_000)).optional(),
  /** Scope to request at the token endpoint. */
  KAFKA_SASL_OAUTH_SCOPE: text,
};

export type KafkaConfig = z.output<z.ZodObject<typeof kafkaConfig>>;

/** The authentication of a connection. */
export type SaslAccess =
  | {
      mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      username: string;
      password: Reloadable<string>;
    }
  | { mechanism: 'oauthbearer'; token: () => Promise<string> };

/** The way to Kafka. Credentials that may be rotated are read at each connection. */
export interface KafkaAccess {
  /** `host:port` each. */
  brokers: readonly string[];
  /** Absent: without TLS. */
  tls?: Reloadable<TlsOptions> | undefined;
  sasl?: SaslAccess | undefined;
}

/** Reads the variables; logs a replacement that cannot be used. */
export function kafkaAccess({ config, logger }: { config: KafkaConfig; logger: ErrorLog }): KafkaAccess {
  const report = (fault: string): void =>
    logger.error({ fault }, 'Kafka credentials not reloaded, the previous ones stay in use');
  const { KAFKA_BROKERS: brokers, KAFKA_TLS_CA, KAFKA_TLS_CERT, KAFKA_TLS_KEY } = config;
  const tls = reloadableTls('KAFKA', { KAFKA_TLS_CA, KAFKA_TLS_CERT, KAFKA_TLS_KEY });
  return { brokers, tls: tls && (() => tls(report)), sasl: saslAccess(config, report) };
}

/** The variables are complete: the configuration was read. */
function saslAccess(config: KafkaConfig, report: (fault: string) => void): SaslAccess | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism } = config;
  if (mechanism === undefined) return undefined;
  if (mechanism === 'OAUTHBEARER')
    return {
      mechanism: 'oauthbearer',
      token: oauthTokens({
        url: config.KAFKA_SASL_OAUTH_TOKEN_URL!,
        clientId: config.KAFKA_SASL_OAUTH_CLIENT_ID!,
        clientSecret: () => config.KAFKA_SASL_OAUTH_CLIENT_SECRET!(report),
        scope: config.KAFKA_SASL_OAUTH_SCOPE,
      }),
    };
  return {
    mechanism: mechanism.toLowerCase() as 'plain' | 'scram-sha-256' | 'scram-sha-512',
    username: config.KAFKA_SASL_USERNAME!,
    password: () => config.KAFKA_SASL_PASSWORD!(report),
  };
}

const PASSWORD_VARIABLES = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'];
const TOKEN_VARIABLES = [
  'KAFKA_SASL_OAUTH_TOKEN_URL',
  'KAFKA_SASL_OAUTH_CLIENT_ID',
  'KAFKA_SASL_OAUTH_CLIENT_SECRET',
];

function kafkaFaults(given: RawEnv): readonly string[] {
  const { KAFKA_SASL_MECHANISM: mechanism } = given;
  const usesTokens = mechanism === 'OAUTHBEARER';
  const needed = mechanism === undefined ? [] : usesTokens ? TOKEN_VARIABLES : PASSWORD_VARIABLES;
  const optional = usesTokens ? ['KAFKA_SASL_OAUTH_SCOPE'] : [];
  const idle = [...PASSWORD_VARIABLES, ...TOKEN_VARIABLES, 'KAFKA_SASL_OAUTH_SCOPE'].filter(
    (name) => given[name] !== undefined && !needed.includes(name) && !optional.includes(name),
  );
  return [
    ...tlsFaults('KAFKA', given),
    ...needed
      // A file that cannot be read is a fault of its own.
      .filter((name) => given[name] === undefined && given[`${name}_FILE`] === undefined)
      .map((name) => `${name}: missing; KAFKA_SASL_MECHANISM ${mechanism} needs it`),
    ...idle.map((name) =>
      mechanism === undefined
        ? `${name}: given without KAFKA_SASL_MECHANISM`
        : `${name}: KAFKA_SASL_MECHANISM ${mechanism} has no use for it`,
    ),
    ...plaintextFaults(given),
  ];
}

function plaintextFaults(given: RawEnv): string[] {
  const { ENVIRONMENT, KAFKA_BROKERS = '', KAFKA_TLS_CA, KAFKA_SASL_MECHANISM } = given;
  if (KAFKA_TLS_CA !== undefined) return [];
  if (KAFKA_SASL_MECHANISM !== undefined)
    return ['KAFKA_TLS_CA: missing; credentials are sent over TLS only'];
  const hosts = KAFKA_BROKERS.split(',').map((broker) => broker.trim().replace(/:\d+$/, ''));
  return ENVIRONMENT === 'production' && !hosts.every(isLoopback)
    ? ['KAFKA_TLS_CA: missing; in production brokers on other machines are reached by TLS only']
    : [];
}
