// The services of the stack: a new one is a name and its part of the environment.
import type { InternalCertificates } from './internal-certificates.ts';
import type { Secrets } from './secrets.ts';

/** In the order of the repository; each is a folder under `services/`. */
export const SERVICES = [
  'registration',
  'auth',
  'account-information',
  'payments',
  'webhook-dispatcher',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** A value for each service. */
export function perService<T>(of: (name: ServiceName, at: number) => T): Record<ServiceName, T> {
  return Object.fromEntries(SERVICES.map((name, at) => [name, of(name, at)])) as Record<ServiceName, T>;
}

/** Loopback ports of one service. */
export interface ServicePorts {
  http: number;
  grpc: number;
  ops: number;
  /** For the pages of the bank's users, where the service has any. */
  user: number;
}

/** The stack around the services, as their environment describes it. */
export interface Surroundings {
  environment: 'sandbox' | 'production';
  /** host:port of the bank, in production. */
  bank?: string;
  ports: Record<ServiceName, ServicePorts>;
  /** Connection strings of the services that have a database. */
  databases: Partial<Record<ServiceName, string>>;
  /** The variables of TLS to the databases. */
  databaseTls: Record<string, string>;
  /** The variables with which a service reaches Kafka. */
  kafka: (service: ServiceName) => Record<string, string>;
  trustAnchors: string;
  /** URLs of the four addresses, separated by commas. */
  publicUrls: string;
  authUrl: string;
  userUrl: string;
  secrets: Secrets;
  edgeSecret: string;
  /** Absent: plaintext between the services. */
  inside?: InternalCertificates | undefined;
}

const HOST = '127.0.0.1';

/** The environment of each service beyond the common part. */
export const OWN_ENVIRONMENT: Record<ServiceName, (around: Surroundings) => Record<string, string>> = {
  registration: ({ ports, secrets, kafka }) => ({
    GRPC_PORT: String(ports.registration.grpc),
    CLIENT_SECRET_PEPPER: secrets.clientSecretPepper,
    ...kafka('registration'),
  }),
  auth: ({ ports, userUrl, secrets, bank }) => ({
    ...(bank === undefined ? {} : { BANK_GRPC: bank }),
    USER_PORT: String(ports.auth.user),
    USER_URL: userUrl,
    PAYMENTS_GRPC: `${HOST}:${ports.payments.grpc}`,
    ACCOUNTS_GRPC: `${HOST}:${ports['account-information'].grpc}`,
    SECRETS_KEY: secrets.secretsKey,
  }),
  'account-information': ({ ports, secrets, kafka }) => ({
    GRPC_PORT: String(ports['account-information'].grpc),
    SECRETS_KEY: secrets.secretsKey,
    ...kafka('account-information'),
  }),
  payments: ({ ports, userUrl, kafka, bank }) => ({
    ...(bank === undefined ? {} : { BANK_GRPC: bank }),
    GRPC_PORT: String(ports.payments.grpc),
    ACCOUNTS_GRPC: `${HOST}:${ports['account-information'].grpc}`,
    USER_URL: userUrl,
    ...kafka('payments'),
  }),
  'webhook-dispatcher': ({ secrets, kafka, environment }) => ({
    SECRETS_KEY: secrets.secretsKey,
    ...(environment === 'sandbox' ? { CALLBACK_LOOPBACK: 'true' } : {}),
    ...kafka('webhook-dispatcher'),
  }),
};
