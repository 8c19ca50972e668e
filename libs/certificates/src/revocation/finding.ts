import type { Certificate } from '../x509/certificate.ts';

/** A question to one source about one certificate. */
export interface Asked {
  readonly url: string;
  readonly certificate: Certificate;
  /** Proven to have issued the certificate. */
  readonly issuer: Certificate;
  readonly at: Date;
  /** Called when a lookup was made and decided nothing. */
  readonly onFault: (fault: string) => void;
}

/** The known revocation status of one certificate. */
export interface Finding {
  /** `undecided`: no valid answer, or the status "unknown". */
  readonly status: 'good' | 'revoked' | 'undecided';
  /** The end of a sentence that starts with the source. */
  readonly evidence: string;
  /** Milliseconds since 1970: the finding is valid before this moment. */
  readonly until: number;
  /** Undecided because nothing answered: repeating may help. */
  readonly isTemporary: boolean;
}

/** Longest time for which an answer is relied on, however long it is valid: a day. */
const MAX_AGE_MS = 86_400_000;

/** An answer is renewed after an hour, so that a revocation is not noticed a day later. The old one is valid meanwhile. */
export const RENEW_MILLISECONDS = 3_600_000;

/** After a look-up that decided nothing, the next one waits for a minute. */
export const RETRY_MILLISECONDS = 60_000;

/** Milliseconds by which the clock of a responder may be ahead of ours. */
export const CLOCK_SKEW_MILLISECONDS = 60_000;

/** A valid answer; `ends` is the end of its validity (milliseconds since 1970). */
export function decided(
  status: 'good' | 'revoked',
  evidence: string,
  times: { readonly at: number; readonly ends: number },
): Finding {
  return { status, evidence, until: Math.min(times.ends, times.at + MAX_AGE_MS), isTemporary: false };
}

export function undecided(evidence: string, at: number, isTemporary = false): Finding {
  return { status: 'undecided', evidence, until: at + RETRY_MILLISECONDS, isTemporary };
}
