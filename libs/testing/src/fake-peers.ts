import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import type { Role } from '@kontoport/certificates';
import {
  Client,
  type ClientCredentialsServiceServer,
  ClientCredentialsServiceService,
  ClientDirectoryServiceService,
  type RevokeTokenRequest,
  type VerifyRequest,
  type WatchRequest,
  type WatchResponse,
} from '@kontoport/proto/registration/v1';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { testCa, type TestCa, type TestQwac, testQwac } from './qwac.ts';

const EDGE_SECRET = randomBytes(32).toString('base64url');
const ISSUER = 'https://auth.bank.test';
const NINETY_DAYS_MS = 90 * 86_400_000;
/** The digest is the same with and without the query. */
const REDIRECT_DIGEST = createHash('sha256').update('https://tpp.test/callback').digest().subarray(0, 16);

/** A registered TPP of a test: its certificate and request headers. */
export interface TestTpp {
  clientId: string;
  clientSecret: string;
  qwac: TestQwac;
  /** The edge's headers with the TPP's certificate. */
  certificateHeaders: Record<string, string>;
  /**
   * Certificate and a fresh access token; `scope` is a space-separated list, default: the TPP's roles; `consentId`
   * makes it a token that a user authorized.
   */
  headers(options?: {
    scope?: string;
    expiresIn?: number;
    /** Seconds from now to the `iat` of the token. */
    issuedIn?: number;
    consentId?: string;
  }): Promise<Record<string, string>>;
}

/**
 * The peers of a service under test, with real protocols: an edge's headers, a folder of trust anchors, a JWKS over
 * HTTP, and a client directory and credential checks over gRPC.
 */
export interface FakePeers {
  ca: TestCa;
  /** Under `ca`: issues the certificates of the TPPs. */
  issuing: TestCa;
  /** The common configuration (EDGE_*, TRUST_ANCHORS, REGISTRATION_GRPC, AUTH_JWKS_URL, TOKEN_ISSUER, ports 0). */
  env: Record<string, string>;
  /** An access token as auth signs it; `scope` is a space-separated list, `thumbprint` the certificate's (base64url). */
  token(options: {
    clientId: string;
    thumbprint: string;
    scope: string;
    expiresIn?: number;
    issuedIn?: number;
    consentId?: string;
    /** Its `jti`; default: one of its own. */
    tokenId?: string;
  }): Promise<string>;
  /**
   * `certificateRoles` default to the client's `roles`, `notAfter` of the certificate to 90 days from now,
   * `organizationIdentifier` to a unique one. `furtherCertificates` are thumbprints of further certificates of the
   * client.
   */
  addTpp(options?: {
    organizationIdentifier?: string;
    roles?: readonly Role[];
    certificateRoles?: readonly Role[];
    furtherCertificates?: readonly string[];
    clientSecret?: string;
    clientId?: string;
    displayName?: string;
    notAfter?: Date;
  }): Promise<TestTpp>;
  /** Marks the client as deleted in the directory. */
  deleteTpp(tpp: TestTpp): void;
  /** Puts the id of a token among the revoked ones of its client. */
  revokeToken(options: { clientId: string; tokenId: string; expiresAt: bigint }): void;
  /** The credentials that registration checked, the oldest first. */
  verified(): readonly VerifyRequest[];
  /** Stops heartbeats and answers, as a registration that hangs would. */
  silence(): void;
  /** Ends the silence. */
  speak(): void;
  close(): Promise<void>;
}

/** Headers as the edge sends them for a chain (DER, leaf first). */
export function edgeHeaders(chain: readonly Uint8Array[]): Record<string, string> {
  const [leaf, ...rest] = chain.map((der) => `:${Buffer.from(der).toString('base64')}:`);
  return {
    'x-edge-secret': EDGE_SECRET,
    'client-cert': leaf!,
    ...(rest.length > 0 ? { 'client-cert-chain': rest.join(', ') } : {}),
  };
}

/** Starts the peers of one test file. */
export async function startFakePeers(): Promise<FakePeers> {
  const ca = await testCa({ name: 'Test Root' });
  const issuing = await testCa({ name: 'Test Issuing CA', issuer: ca });
  const trustAnchors = mkdtempSync(join(tmpdir(), 'kontoport-anchors-'));
  writeFileSync(join(trustAnchors, 'root.pem'), ca.certificatePem);
  const auth = await startAuth();
  const directory = await startDirectory();
  return {
    ca,
    issuing,
    token: auth.token,
    env: {
      ENVIRONMENT: 'sandbox',
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: '0',
      OPS_PORT: '0',
      TRUST_ANCHORS: trustAnchors,
      // They use plaintext, also with a service in production mode.
      INTERNAL_TLS: 'off',
      EDGE_ADDRESSES: '127.0.0.1/32',
      EDGE_SECRET,
      REGISTRATION_GRPC: `localhost:${directory.port}`,
      AUTH_JWKS_URL: auth.jwksUrl,
      TOKEN_ISSUER: ISSUER,
      LOG_LEVEL: 'silent',
    },
    addTpp: (options = {}) => addTpp({ issuing, directory, token: auth.token }, options),
    deleteTpp: (tpp) => directory.remove(tpp.clientId),
    revokeToken: (revocation) => directory.revoke(revocation),
    verified: directory.verified,
    silence: () => directory.silence(true),
    speak: () => directory.silence(false),
    async close() {
      directory.close();
      auth.close();
      rmSync(trustAnchors, { recursive: true, force: true });
    },
  };
}

/** A fake of auth: its keys over HTTP, and tokens signed with them. */
async function startAuth(): Promise<{ jwksUrl: string; token: FakePeers['token']; close(): void }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' }],
  });
  const http = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(jwks);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    jwksUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/.well-known/jwks.json`,
    token: ({ clientId, thumbprint, scope, expiresIn = 600, issuedIn = 0, consentId, tokenId }) => {
      const now = Math.floor(Date.now() / 1_000);
      const confirmation = { 'x5t#S256': thumbprint };
      // An undefined claim is left out.
      return new SignJWT({ client_id: clientId, scope, cnf: confirmation, consent_id: consentId })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test' })
        .setIssuer(ISSUER)
        .setSubject(clientId)
        .setAudience('kontoport')
        .setJti(tokenId ?? randomUUID())
        .setIssuedAt(Math.min(now, now + expiresIn) + issuedIn)
        .setExpirationTime(now + expiresIn)
        .sign(privateKey);
    },
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}

async function addTpp(
  around: {
    issuing: TestCa;
    directory: Awaited<ReturnType<typeof startDirectory>>;
    token: FakePeers['token'];
  },
  options: NonNullable<Parameters<FakePeers['addTpp']>[0]>,
): Promise<TestTpp> {
  const { issuing, directory, token } = around;
  const { roles = ['PSP_AI', 'PSP_PI'] as const, clientId = randomUUID() } = options;
  const { certificateRoles = roles, furtherCertificates = [] } = options;
  const { displayName = 'Test TPP', notAfter = new Date(Date.now() + NINETY_DAYS_MS) } = options;
  const { organizationIdentifier = `PSDDK-DFSA-${randomBytes(4).toString('hex')}` } = options;
  const { clientSecret = randomBytes(32).toString('base64url') } = options;
  const qwac = await testQwac({
    issuer: issuing,
    organizationName: 'Test TPP',
    organizationIdentifier,
    roles: certificateRoles,
    notAfter,
  });
  const thumbprint = createHash('sha256').update(qwac.chain[0]!).digest('base64url');
  directory.put(
    Client.fromPartial({
      clientId,
      roles: [...roles],
      certificates: [thumbprint, ...furtherCertificates].map((each) => ({
        thumbprint: each,
        notAfter: BigInt(Math.floor(notAfter.getTime() / 1_000)),
        roles: [...certificateRoles],
      })),
      redirectDigests: REDIRECT_DIGEST,
      redirectUriDigests: REDIRECT_DIGEST,
      organizationIdentifier,
      displayName,
    }),
    clientSecret,
  );
  const certificateHeaders = edgeHeaders(qwac.chain);
  return {
    clientId,
    clientSecret,
    qwac,
    certificateHeaders,
    async headers({ scope = roles.join(' '), ...rest } = {}) {
      const bearer = await token({ clientId, thumbprint, scope, ...rest });
      return { ...certificateHeaders, authorization: `Bearer ${bearer}` };
    },
  };
}

async function startDirectory() {
  const clients = new Map<string, Client>();
  const secrets = new Map<string, string>();
  const verified: VerifyRequest[] = [];
  const streams = new Map<ServerDuplexStream<WatchRequest, WatchResponse>, bigint>();
  let revision = 0n;
  let silent = false;
  const heartbeat = (stream: ServerDuplexStream<WatchRequest, WatchResponse>): void => {
    if (silent) return;
    const nonce = streams.get(stream) ?? 0n;
    stream.write({
      message: {
        $case: 'heartbeat',
        value: { revision, nonce, leaseMilliseconds: 5_000n, purgedRevision: 0n },
      },
    });
  };
  const server = new Server();
  server.addService(ClientDirectoryServiceService, {
    watch(stream: ServerDuplexStream<WatchRequest, WatchResponse>) {
      stream.on('data', ({ nonce, leaving }: WatchRequest) => {
        if (leaving) return stream.end();
        const first = !streams.has(stream);
        streams.set(stream, nonce);
        if (!first) return;
        stream.write({ message: { $case: 'part', value: { revision, clients: [...clients.values()] } } });
        heartbeat(stream);
      });
      const drop = (): void => void streams.delete(stream);
      stream
        .on('end', () => stream.end())
        .on('close', drop)
        .on('error', drop);
    },
  });
  server.addService(
    ClientCredentialsServiceService,
    credentialsService({
      clients,
      secrets,
      verified,
      silent: () => silent,
      revoke: (request) => revoke(request),
    }),
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const beating = setInterval(() => [...streams.keys()].forEach(heartbeat), 500);
  const put = (client: Client): void => {
    revision += 1n;
    const changed = { ...client, revision };
    clients.set(client.clientId, changed);
    for (const stream of streams.keys())
      stream.write({ message: { $case: 'part', value: { revision, clients: [changed] } } });
  };
  const revoke = ({ clientId, tokenId, expiresAt }: RevokeTokenRequest): void => {
    const client = clients.get(clientId)!;
    put({ ...client, revokedTokens: [...client.revokedTokens, { id: tokenId, expiresAt }] });
  };
  return {
    port,
    revoke,
    verified: () => verified,
    put(client: Client, clientSecret: string) {
      secrets.set(client.clientId, clientSecret);
      put(client);
    },
    remove: (clientId: string) => put({ ...clients.get(clientId)!, deleted: true }),
    silence: (on: boolean) => void (silent = on),
    close() {
      clearInterval(beating);
      server.forceShutdown();
    },
  };
}

/**
 * A fake of registration: checks secrets and revokes tokens of the directory's clients. A silent one does not answer.
 */
function credentialsService(options: {
  clients: ReadonlyMap<string, Client>;
  secrets: ReadonlyMap<string, string>;
  verified: VerifyRequest[];
  silent: () => boolean;
  revoke: (request: RevokeTokenRequest) => void;
}): ClientCredentialsServiceServer {
  const { clients, secrets, verified, silent, revoke } = options;
  return {
    verify({ request }, callback) {
      verified.push(request);
      if (silent()) return;
      const client = clients.get(request.clientId);
      const right =
        client?.deleted === false &&
        secrets.get(request.clientId) === request.clientSecret &&
        client.certificates.some(({ thumbprint }) => thumbprint === request.certificateThumbprint);
      callback(null, { client: right ? client : undefined });
    },
    revokeToken({ request }, callback) {
      if (silent()) return;
      revoke(request);
      callback(null, {});
    },
  };
}
