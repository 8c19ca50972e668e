import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureSandboxCa, writeFileAtomically } from '@kontoport/issuing';

const ROOT = join(import.meta.dirname, '../..');
const RECIPE = join(ROOT, 'docs/edge/envoy.yaml');
/** Databases of the services that have one in the sandbox. */
const DATABASES = ['registration', 'auth', 'account_information', 'webhook_dispatcher'];
/** Upstreams of the edge in docker/compose.yaml. */
const UPSTREAMS = {
  REGISTRATION: ['registration', 8080],
  AUTH: ['auth', 8080],
  USER: ['auth', 8081],
  ACCOUNT_INFORMATION: ['account-information', 8080],
  PAYMENTS: ['payments', 8080],
  WEBHOOK_DISPATCHER: ['127.0.0.1', 8080],
} as const;
const ADDRESSES = { BASE: 8443, REGISTRATION: 8444, AUTH: 8445, USER: 8446 };
const SECRETS = ['EDGE_SECRET', 'SECRETS_KEY', 'CLIENT_SECRET_PEPPER', 'POSTGRES_PASSWORD'] as const;
const INSIDE = '/etc/kontoport';

type Variables = Record<string, string>;

/** Parses lines of NAME=value. */
const readVariables = (file: string): Variables =>
  existsSync(file)
    ? Object.fromEntries(
        [...readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
      )
    : {};

/**
 * Creates the files that docker/compose.yaml needs in a folder, and keeps existing ones: certificates and secrets, the configuration
 * of the edge, the names of the databases, stack.json, by which the tour finds the bank, and `.env`.
 * @param options.given ports (BASE_PORT …) and images that replace the kept ones
 * @returns the path of `.env`
 */
export async function prepareCompose({
  folder,
  given,
}: {
  folder: string;
  given: Variables;
}): Promise<string> {
  const [file, trustAnchors] = [join(folder, '.env'), join(folder, 'trust-anchors')];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ca = await ensureSandboxCa({ folder: join(folder, 'ca'), trustAnchors, at: new Date() });
  const ports = Object.entries(ADDRESSES).map(([name, port]) => [`${name}_PORT`, String(port)]);
  const variables: Variables = {
    ...Object.fromEntries(ports),
    ...Object.fromEntries(SECRETS.map((name) => [name, randomBytes(32).toString('base64url')])),
    ...readVariables(file),
    ...given,
    KONTOPORT_DATA: folder,
    // Containers run as the owner of the files.
    RUN_AS: `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
  };
  variables.DATABASES = `postgres://postgres:${variables.POSTGRES_PASSWORD}@postgres:5432`;
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  await writeFileAtomically(file, lines.toSorted().join(''), 0o600);

  mkdirSync(join(folder, 'databases'), { recursive: true });
  writeFileSync(
    join(folder, 'databases/databases.sql'),
    DATABASES.map((name) => `CREATE DATABASE ${name};\n`).join(''),
  );

  const edge = join(folder, 'edge');
  mkdirSync(edge, { recursive: true });
  cpSync(ca.server.certificate, join(edge, 'server.pem'));
  cpSync(ca.server.key, join(edge, 'server-key.pem'));
  cpSync(ca.root.certificate, join(edge, 'trusted.pem'));
  writeFileSync(join(edge, 'envoy.yaml'), edgeConfiguration(variables), { mode: 0o600 });

  const url = (name: keyof typeof ADDRESSES): string => `https://localhost:${variables[`${name}_PORT`]}`;
  const stack = {
    baseUrl: url('BASE'),
    registrationUrl: url('REGISTRATION'),
    authUrl: url('AUTH'),
    userUrl: url('USER'),
    serverCa: ca.root.certificate,
    trustAnchors,
    issuingCa: ca.issuingCa,
  };
  writeFileSync(join(folder, 'stack.json'), `${JSON.stringify(stack, undefined, 2)}\n`);
  return file;
}

/** docs/edge/envoy.yaml with its `@…@` placeholders filled in. */
function edgeConfiguration(variables: Variables): string {
  const filled: Variables = {
    SERVER_CERTIFICATE: `${INSIDE}/server.pem`,
    SERVER_KEY: `${INSIDE}/server-key.pem`,
    TRUSTED_CAS: `${INSIDE}/trusted.pem`,
    EDGE_SECRET: variables.EDGE_SECRET!,
  };
  for (const name of Object.keys(ADDRESSES)) {
    filled[`${name}_HOST`] = '0.0.0.0';
    filled[`${name}_PORT`] = variables[`${name}_PORT`]!;
  }
  for (const [name, [host, port]] of Object.entries(UPSTREAMS)) {
    filled[`${name}_UPSTREAM_HOST`] = host;
    filled[`${name}_UPSTREAM_PORT`] = String(port);
  }
  return readFileSync(RECIPE, 'utf8').replaceAll(
    /@([A-Z_]+)@/g,
    (whole, name: string) => filled[name] ?? whole,
  );
}
