export { createClient, type KontoportClient } from './client.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export { ConnectionError, KontoportError } from './errors.ts';
export type { OptionsOf, PagedPath, PathOf, ResultOf, Schemas, WebhookEvent } from './operations.ts';
export {
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationOptions,
} from './verify-webhook.ts';
