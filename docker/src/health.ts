// HEALTHCHECK of an image: succeeds when the process answers on OPS_PORT.
import { get } from 'node:http';

const LIMIT_MS = 3_000;
const { HTTP_HOST = '', OPS_PORT } = process.env;
const host = ['', '0.0.0.0', '::'].includes(HTTP_HOST) ? '127.0.0.1' : HTTP_HOST;

get({ host, port: OPS_PORT, path: '/livez', timeout: LIMIT_MS }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
)
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
