import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '@kontoport/certificates';
import { describeError, type Logger } from '@kontoport/lifecycle';
import { awaitPropagation, USUAL_PROPAGATION_MS } from '../directory/propagation.ts';
import type { Db } from '../gen/db.ts';
import { toCertificateChain } from './certificate-chain.model.ts';
import { hashClientSecret, newClientSecret, type Pepper } from './client-secret.model.ts';
import { type Client, type Registration, requireCertifiedRoles } from './client.model.ts';
import { storeRegistration } from './client.repository.ts';
import {
  paceOf,
  type RegistrationLimits,
  requireBoundedRedirects,
  tooManyRegistrations,
} from './registration-limits.model.ts';
import {
  registrationHash,
  type RegistrationRequest,
  type StoredRegistration,
} from './registration-request.model.ts';
import { isAnswerPending, recordAnswer, spendRegistration } from './registration.repository.ts';

/** Dependencies of `registerClient`. */
export interface RegisterClientDeps {
  db: Db;
  /** Publishes a new revision at once. */
  hub: { wake(): void };
  /** The first one hashes new secrets. */
  peppers: readonly Pepper[];
  limits: RegistrationLimits;
  logger: Logger;
}

/** Milliseconds that a repetition waits for the outcome of the previous answer, and the interval of its checks. */
const PENDING_LIMIT_MS = 5_000;
const POLL_MS = 50;

/** The answer to a registration. */
export interface Registered {
  clientId: string;
  /** Only in the first answer that was sent (§4.2). */
  clientSecret?: string;
  /** Reports whether the answer was sent. If not, a repetition replaces the secret. */
  delivered?: (whole: boolean) => void;
}

/**
 * Registers a TPP over its certificate (§4.2). The same certificate may register again, as another client. A repeated
 * request id of an organization returns the first client: without its secret if that was sent, otherwise with a new one.
 * @throws ApiError ROLE_INVALID, STATUS_INVALID (409) and RATE_LIMITED beyond the limits, IDEMPOTENCY_CONFLICT,
 * UNAVAILABLE. After any error nothing is stored.
 */
export async function registerClient(
  deps: RegisterClientDeps,
  options: {
    registration: Registration;
    certificate: Verdict;
    /** Absent when the caller sent none. */
    requestId: string | undefined;
    now: Date;
    signal: AbortSignal;
  },
): Promise<Registered> {
  const { db, hub, peppers, limits, logger } = deps;
  const { registration, certificate, requestId, now, signal } = options;
  requireCertifiedRoles(registration.roles, certificate.roles);

  requireBoundedRedirects(registration.redirectUris, limits);
  const organizationIdentifier = certificate.organization.identifier;
  const waitMs = await spendRegistration(db, organizationIdentifier, paceOf(limits));
  if (waitMs !== undefined) throw tooManyRegistrations(Math.max(1, Math.ceil(waitMs / 1_000)));

  const client: Client = {
    ...registration,
    clientId: randomUUID(),
    displayName: certificate.displayName,
    organizationIdentifier,
    certificateChains: [toCertificateChain(certificate)],
    createdAt: now,
  };
  const clientSecret = newClientSecret(randomBytes);
  const secret = hashClientSecret(clientSecret, peppers[0]!);
  const request =
    requestId === undefined
      ? undefined
      : { organizationIdentifier, requestId, bodyHash: registrationHash(registration) };
  const store = (): Promise<StoredRegistration> => storeRegistration(db, { client, secret, request, limits });
  let stored = await store();
  if (stored.secret === 'pending') {
    await untilAnswered(db, { request: request!, signal });
    stored = await store();
  }
  const { clientId } = stored;
  if (stored.secret !== 'new') return { clientId };
  hub.wake();
  const { revision, renewed } = stored;
  const { acknowledged } = await awaitPropagation({ db, revision, limitMs: USUAL_PROPAGATION_MS, signal });
  logger.info({ clientId, revision: String(revision), acknowledged, renewed }, 'client registered');
  if (request === undefined) return { clientId, clientSecret };
  return { clientId, clientSecret, delivered: (whole) => noteAnswer(deps, { request, clientId, whole }) };
}

/** Waits for the outcome of the previous answer. */
async function untilAnswered(
  db: Db,
  { request, signal }: { request: RegistrationRequest; signal: AbortSignal },
): Promise<void> {
  const end = performance.now() + PENDING_LIMIT_MS;
  while (!signal.aborted && performance.now() < end && (await isAnswerPending(db, request)))
    await sleep(POLL_MS);
}

/** Records the outcome of an answer. One that cannot be stored counts as lost after a while, unless the secret is used before. */
function noteAnswer(
  { db, logger }: RegisterClientDeps,
  { request, clientId, whole }: { request: RegistrationRequest; clientId: string; whole: boolean },
): void {
  const answer = whole ? 'given' : 'lost';
  if (!whole) logger.info({ clientId }, 'the answer with the secret was not sent');
  recordAnswer(db, { ...request, answer }).catch((error: unknown) =>
    logger.warn(
      { clientId, answer, error: describeError(error) },
      'the outcome of the answer was not stored',
    ),
  );
}
