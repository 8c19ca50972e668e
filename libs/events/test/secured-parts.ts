import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '@kontoport/config';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Kafka, kafkaAccess, kafkaConfig, openKafka } from '../src/index.ts';
import { logger } from './parts.ts';

/** A client as a service with these variables has it. */
export function openFrom(env: Record<string, string>): Kafka {
  const config = readConfig(kafkaConfig, env);
  return openKafka({ ...kafkaAccess({ config, logger }), clientId: 'test', logger });
}

/** Issues access tokens for client credentials; the client's id is the principal. */
export interface TokenEndpoint {
  url: string;
  /** The settings with which a broker accepts the tokens. */
  trusted: { jwks: object; issuer: string; audience: string };
  lifetimeSeconds: number;
  /** The number of tokens that it has issued. */
  given: number;
  close(): Promise<void>;
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const trusted = {
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] },
    issuer: 'https://id.bank.test',
    audience: 'kafka',
  };
  const server = createServer((request, response) => {
    const basic = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
    const [clientId = ''] = basic.split(':');
    endpoint.given++;
    void new SignJWT({ scope: 'kafka' })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setSubject(clientId)
      .setIssuer(trusted.issuer)
      .setAudience(trusted.audience)
      .setIssuedAt()
      .setExpirationTime(`${endpoint.lifetimeSeconds}s`)
      .sign(privateKey)
      .then((token) =>
        response.end(JSON.stringify({ access_token: token, expires_in: endpoint.lifetimeSeconds })),
      );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint: TokenEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    trusted,
    lifetimeSeconds: 300,
    given: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return endpoint;
}
