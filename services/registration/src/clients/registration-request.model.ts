import { createHash } from 'node:crypto';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { Registration } from './client.model.ts';

/**
 * The X-Request-ID of a registration. Besides correlation (§4), it makes the call repeatable (§4.2). Organizations do not share
 * ids.
 */
export interface RegistrationRequest {
  organizationIdentifier: string;
  requestId: string;
  /** SHA-256 of the canonical body. */
  bodyHash: Uint8Array<ArrayBuffer>;
}

/** State of the answer with the secret: being sent, sent completely, or lost. Only a lost one is replaced (§4.2). */
export type AnswerState = 'pending' | 'given' | 'lost';

/** A request id that was used before. */
export interface EarlierRequest {
  clientId: string;
  bodyHash: Uint8Array;
  answer: AnswerState;
  /** Milliseconds since the answer began. */
  ageMs: number;
}

/** The result of a registration: a client whose secret is still to be sent, or one whose secret was sent. */
export type StoredRegistration =
  | { secret: 'new'; clientId: string; revision: bigint; renewed: boolean }
  | { secret: 'answered' | 'pending'; clientId: string };

/** Milliseconds after which an answer counts as lost with its process. */
const ANSWER_LIMIT_MS = 30_000;

/** Whether the answer with the secret was never sent. The repetition is then the first successful one. */
export function isLost({ answer, ageMs }: Pick<EarlierRequest, 'answer' | 'ageMs'>): boolean {
  return answer === 'lost' || (answer === 'pending' && ageMs > ANSWER_LIMIT_MS);
}

/** Minimum retention of a request id (§4.2). */
export const REQUEST_RETENTION_DAYS = 30;

/** SHA-256 of a registration, independent of the order of roles, URIs and fields and of blanks in the JSON. */
export function registrationHash({ name, roles, redirectUris }: Registration): Uint8Array<ArrayBuffer> {
  const canonical = JSON.stringify([name, roles.toSorted(), redirectUris.toSorted()]);
  return new Uint8Array(createHash('sha256').update(canonical).digest());
}

/** @throws ApiError IDEMPOTENCY_CONFLICT (409) when the id was used for another body. */
export function requireSameBody(first: Uint8Array, repeated: Uint8Array): void {
  if (Buffer.compare(first, repeated) !== 0)
    throw new ApiError('IDEMPOTENCY_CONFLICT', TEXTS('request-id-used'));
}
