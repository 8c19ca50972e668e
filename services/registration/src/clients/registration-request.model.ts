import { createHash } from 'node:crypto';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { Registration } from './client.model.ts';

/**
 * The X-Request-ID that a TPP chose for a registration: beside correlating, as everywhere (§4), it makes the call
 * repeatable (§4.2). The same id of another organization is another request.
 */
export interface RegistrationRequest {
  organizationIdentifier: string;
  requestId: string;
  /** SHA-256 of the meaning of the body. */
  bodyHash: Uint8Array<ArrayBuffer>;
}

/** What a registration led to: a new client, or the one that the same request id had led to before. */
export type StoredRegistration =
  | { created: true; revision: bigint }
  | { created: false; clientId: string; bodyHash: Uint8Array };

/** How long a request id is remembered at least (§4.2). */
export const REQUEST_RETENTION_DAYS = 30;

/** SHA-256 over what a registration asks for: the order of roles, URIs and fields, and blanks in the JSON, do not count. */
export function registrationHash({ name, roles, redirectUris }: Registration): Uint8Array<ArrayBuffer> {
  const canonical = JSON.stringify([name, roles.toSorted(), redirectUris.toSorted()]);
  return new Uint8Array(createHash('sha256').update(canonical).digest());
}

/** @throws ApiError IDEMPOTENCY_CONFLICT (409) when the id was used for another body. */
export function requireSameBody(first: Uint8Array, repeated: Uint8Array): void {
  if (Buffer.compare(first, repeated) !== 0)
    throw new ApiError('IDEMPOTENCY_CONFLICT', TEXTS('request-id-used'));
}
