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

/**
 * What became of the answer with the secret: under way, handed over whole, or not. No other answer may be the first
 * successful one (§4.2).
 */
export type AnswerState = 'pending' | 'given' | 'lost';

/** A request id that was used before. */
export interface EarlierRequest {
  clientId: string;
  bodyHash: Uint8Array;
  answer: AnswerState;
  /** Since the answer was begun. */
  ageMs: number;
}

/** What a registration led to: a client whose secret is to be answered, or one whose secret was. */
export type StoredRegistration =
  | { secret: 'new'; clientId: string; revision: bigint; renewed: boolean }
  | { secret: 'answered' | 'under way'; clientId: string };

/** An answer that is under way for longer died with its process, milliseconds. */
const ANSWER_LIMIT_MS = 30_000;

/** Whether the answer with the secret never left, so that the repetition is the first successful one. */
export function isLost({ answer, ageMs }: Pick<EarlierRequest, 'answer' | 'ageMs'>): boolean {
  return answer === 'lost' || (answer === 'pending' && ageMs > ANSWER_LIMIT_MS);
}

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
