import { SERVICES, type ServiceName } from './edge-routes.ts';
import type { Secrets } from './secrets.ts';

/** Loopback ports of one service. */
export interface ServicePorts {
  http: number;
  grpc: number;
  ops: number;
}

/** What the services are told about the stack around them. */
export interface Surroundings {
  ports: Record<ServiceName, ServicePorts>;
  /** Connection strings of the services that have a database. */
  databases: Partial<Record<ServiceName, string>>;
  kafka: { brokers: readonly string[]; idempotent: boolean };
  trustAnchors: string;
  authUrl: string;
  userUrl: string;
  secrets: Secrets;
  edgeSecret: string;
}

/** What a person may set for all services. The rest of the environment is ours and does not reach them. */
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|TZ|LANG|LC_.*|NODE_EXTRA_CA_CERTS|LOG_LEVEL|SETTLEMENT_DELAY|WEBHOOK_RETRY_SCHEDULE|OTEL_.*)$/;
const HOST = '127.0.0.1';

/** What each service is told beyond the common part. */
const OWN: Record<ServiceName, (around: Surroundings) => Record<string, string>> = {
  registration: ({ ports, secrets }) => ({
    GRPC_PORT: String(ports.registration.grpc),
    CLIENT_SECRET_PEPPER: secrets.clientSecretPepper,
  }),
  auth: ({ ports, secrets }) => ({
    PAYMENTS_GRPC: `${HOST}:${ports.payments.grpc}`,
    SECRETS_KEY: secrets.secretsKey,
  }),
  'account-information': ({ ports, secrets, kafka }) => ({
    GRPC_PORT: String(ports['account-information'].grpc),
    SECRETS_KEY: secrets.secretsKey,
    ...kafkaSettings(kafka),
  }),
  payments: ({ ports, userUrl }) => ({
    GRPC_PORT: String(ports.payments.grpc),
    ACCOUNTS_GRPC: `${HOST}:${ports['account-information'].grpc}`,
    USER_URL: userUrl,
  }),
  'webhook-dispatcher': ({ secrets, kafka }) => ({
    SECRETS_KEY: secrets.secretsKey,
    CALLBACK_LOOPBACK: 'true',
    ...kafkaSettings(kafka),
  }),
};

function kafkaSettings(kafka: Surroundings['kafka']): Record<string, string> {
  return { KAFKA_BROKERS: kafka.brokers.join(','), KAFKA_IDEMPOTENT: String(kafka.idempotent) };
}

/** The whole environment of each service's process. */
export function serviceEnvironments(
  around: Surroundings,
  env: NodeJS.ProcessEnv,
): Record<ServiceName, Record<string, string>> {
  const passedOn = Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined,
    ),
  );
  const environment = (name: ServiceName): Record<string, string> => {
    const database = around.databases[name];
    return {
      ...passedOn,
      OTEL_SERVICE_NAME: name,
      ENVIRONMENT: 'sandbox',
      HTTP_HOST: HOST,
      HTTP_PORT: String(around.ports[name].http),
      OPS_PORT: String(around.ports[name].ops),
      TRUST_ANCHORS: around.trustAnchors,
      EDGE_ADDRESSES: `${HOST}/32`,
      EDGE_SECRET: around.edgeSecret,
      REGISTRATION_GRPC: `${HOST}:${around.ports.registration.grpc}`,
      AUTH_JWKS_URL: `http://${HOST}:${around.ports.auth.http}/.well-known/jwks.json`,
      TOKEN_ISSUER: around.authUrl,
      ...(database === undefined ? {} : { DATABASE_URL: database }),
      ...OWN[name](around),
    };
  };
  return Object.fromEntries(SERVICES.map((name) => [name, environment(name)])) as Record<
    ServiceName,
    Record<string, string>
  >;
}
