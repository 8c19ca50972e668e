import { OWN_ENVIRONMENT, perService, type ServiceName, type Surroundings } from './services.ts';

/** Variables of the user that reach all services. No other ones do. */
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|TZ|LANG|LC_.*|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|VSCODE_INSPECTOR_OPTIONS|LOG_LEVEL|BRAND_.*|EDGE_FORMAT|INTERMEDIATES|REVOCATION|RATE_LIMIT_.*|SETTLEMENT_DELAY|APPROVAL_LIFETIME|BOOKING_DELAY|WEBHOOK_RETRY_SCHEDULE|CALLBACK_ALLOW|CALLBACK_PROXY|OTEL_.*)$/;
const HOST = '127.0.0.1';

/** Returns the user's variables that reach a process of the stack. */
export function passedOn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}

/** Returns the whole environment of each service. */
export function serviceEnvironments(
  around: Surroundings,
  env: NodeJS.ProcessEnv,
): Record<ServiceName, Record<string, string>> {
  const environment = (name: ServiceName): Record<string, string> => {
    const database = around.databases[name];
    return {
      ...passedOn(env),
      OTEL_SERVICE_NAME: name,
      ENVIRONMENT: around.environment,
      HTTP_HOST: HOST,
      HTTP_PORT: String(around.ports[name].http),
      OPS_PORT: String(around.ports[name].ops),
      TRUST_ANCHORS: around.trustAnchors,
      // Production asks no responder on this machine and accepts an unknown status (ADR-0007).
      ...(around.environment === 'sandbox'
        ? {
            REVOCATION_LOOPBACK: 'true',
            REQUEST_LOG_GRPC: `${HOST}:${around.ports['account-information'].grpc}`,
          }
        : {}),
      EDGE_ADDRESSES: `${HOST}/32`,
      EDGE_SECRET: around.edgeSecret,
      REGISTRATION_GRPC: `${HOST}:${around.ports.registration.grpc}`,
      ...around.inside?.(name),
      AUTH_JWKS_URL: `${around.inside === undefined ? 'http' : 'https'}://${HOST}:${around.ports.auth.http}/.well-known/jwks.json`,
      TOKEN_ISSUER: around.authUrl,
      PUBLIC_URLS: around.publicUrls,
      ...(database === undefined ? {} : { DATABASE_URL: database, ...around.databaseTls }),
      ...OWN_ENVIRONMENT[name](around),
    };
  };
  return perService(environment);
}
