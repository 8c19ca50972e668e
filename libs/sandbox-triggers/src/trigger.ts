import type { ErrorCode } from '@kontoport/errors';

/** The part of the interface that a trigger belongs to. */
export const TRIGGER_KINDS = ['payment', 'user', 'request', 'webhook'] as const;

/** Test data that make the sandbox behave in a special way (§Sandbox). */
export interface Trigger {
  readonly kind: (typeof TRIGGER_KINDS)[number];
  /** Stable: tests and pages refer to it. */
  readonly name: string;
  /**
   * Fields or headers of a request with the value that triggers the effect; each of them alone suffices. Of a webhook: the
   * operation, or the status of the callback's answer.
   */
  readonly values: Readonly<Record<string, string>>;
  /** One or two sentences. */
  readonly effect: string;
  /** The resulting status of §3.2, if there is one. */
  readonly status?: string;
  /** The resulting error code, if there is one. */
  readonly errorCode?: ErrorCode;
}
