import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Access, ensureTopics, type KafkaAccess, type Topic } from '@kontoport/events';
import { type KafkaPorts, type KafkaServer, setupClient, startKafkaServer } from './kafka-server.ts';

/** The certificates and users of a secured broker; all files are PEM. */
export interface SecuredKafkaOptions {
  /** The chain and the key of the broker; names it answers to: localhost, 127.0.0.1. */
  cert: string;
  key: string;
  /** Issued the broker's certificate, and issues those of clients. */
  ca: string;
  /** Principal → password; `admin` may do everything and must be there. */
  users: Readonly<Record<string, string>> & { admin: string };
  topics: readonly Topic[];
  access: readonly Access[];
  /** Opens a second listener for client certificates of `ca`, with the CN as principal. */
  certificates?: boolean;
  /** Accepts tokens of this issuer and audience that these keys signed; `sub` is the principal. */
  tokens?: { jwks: object; issuer: string; audience: string };
  /** Keeps the data; default: a temporary folder. */
  folder?: string;
}

/** A broker that authenticates every client. */
export interface SecuredKafka extends KafkaServer {
  /** Addresses of the listener for client certificates, `host:port` each. */
  certificateBrokers: string[];
}

const LOGIN = 'org.apache.kafka.common.security';

/**
 * Starts a single-node Apache Kafka with the security of production: TLS, SASL (SCRAM, PLAIN, OAUTHBEARER) or a client
 * certificate, and access lists.
 */
export async function startSecuredKafka(options: SecuredKafkaOptions): Promise<SecuredKafka> {
  let certificatePort = 0;
  const server = await startKafkaServer({
    ...(options.folder === undefined ? {} : { folder: options.folder }),
    plan(ports, folder) {
      certificatePort = ports.second;
      const access: KafkaAccess = {
        brokers: [`127.0.0.1:${ports.broker}`],
        tls: () => ({
          rejectUnauthorized: true,
          minVersion: 'TLSv1.2',
          ca: readFileSync(options.ca, 'utf8'),
        }),
        sasl: { mechanism: 'scram-sha-512', username: 'admin', password: () => options.users.admin },
      };
      return { access, scramUsers: options.users, settings: settingsOf(options, ports, folder) };
    },
  });
  try {
    const kafka = setupClient(server.access);
    await ensureTopics(kafka, options.topics);
    if (options.access.length > 0) await kafka.allow(options.access);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, certificateBrokers: [`127.0.0.1:${certificatePort}`] };
}

function settingsOf(
  { cert, key, ca, users, certificates, tokens }: SecuredKafkaOptions,
  ports: KafkaPorts,
  folder: string,
): Record<string, string> {
  const store = join(folder, 'broker.pem');
  writeFileSync(store, readFileSync(key, 'utf8') + readFileSync(cert, 'utf8'), { mode: 0o600 });
  const open = [
    `SASL_SSL://127.0.0.1:${ports.broker}`,
    ...(certificates ? [`SSL://127.0.0.1:${ports.second}`] : []),
  ].join(',');
  const own = `username="admin" password="${users.admin}"`;
  const scram = `${LOGIN}.scram.ScramLoginModule required ${own};`;
  const known = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`);
  const plain = `${LOGIN}.plain.PlainLoginModule required ${own} ${known.join(' ')};`;
  const mechanisms = ['SCRAM-SHA-512', 'SCRAM-SHA-256', 'PLAIN', ...(tokens ? ['OAUTHBEARER'] : [])];
  return {
    listeners: `${open},CONTROLLER://127.0.0.1:${ports.controller}`,
    'advertised.listeners': open,
    'listener.security.protocol.map': 'SASL_SSL:SASL_SSL,SSL:SSL,CONTROLLER:SASL_SSL',
    'inter.broker.listener.name': 'SASL_SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': store,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': ca,
    'sasl.enabled.mechanisms': mechanisms.join(','),
    'sasl.mechanism.inter.broker.protocol': 'SCRAM-SHA-512',
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': scram,
    'listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.sasl_ssl.plain.sasl.jaas.config': plain,
    // The controller stores the SCRAM users, so it cannot authenticate by them before it runs.
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.controller.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.controller.plain.sasl.jaas.config': plain,
    'listener.name.ssl.ssl.client.auth': 'required',
    'listener.name.ssl.ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': 'false',
    'super.users': 'User:admin',
    ...(tokens ? tokenSettings(tokens, folder) : {}),
  };
}

function tokenSettings(
  { jwks, issuer, audience }: NonNullable<SecuredKafkaOptions['tokens']>,
  folder: string,
): Record<string, string> {
  const file = join(folder, 'jwks.json');
  writeFileSync(file, JSON.stringify(jwks));
  return {
    'listener.name.sasl_ssl.oauthbearer.sasl.jaas.config': `${LOGIN}.oauthbearer.OAuthBearerLoginModule required;`,
    'listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class': `${LOGIN}.oauthbearer.OAuthBearerValidatorCallbackHandler`,
    'listener.name.sasl_ssl.oauthbearer.sasl.oauthbearer.jwks.endpoint.url': `file://${file}`,
    'listener.name.sasl_ssl.oauthbearer.sasl.oauthbearer.expected.issuer': issuer,
    'listener.name.sasl_ssl.oauthbearer.sasl.oauthbearer.expected.audience': audience,
  };
}
