import { errors } from 'undici';

/** The guard refused the address. Nothing was sent. */
export class EgressForbidden extends Error {
  override readonly name = 'EgressForbidden';
  readonly code = 'EGRESS_FORBIDDEN';
}

/** The time limit passed before the whole answer was here. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
  readonly code = 'EGRESS_TIME_UP';
}

/** The peer sent more than one answer may have around its body, or TLS messages without end. */
export class EndlessAnswer extends Error {
  override readonly name = 'EndlessAnswer';
  readonly code = 'EGRESS_ENDLESS_ANSWER';
}

/** The body is longer than the caller allows. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
  readonly code = 'EGRESS_BODY_TOO_LONG';
}

/** Why a request got no answer, or not the whole of it. `connection`: DNS, TCP, TLS or the proxy failed, or the peer ended the connection. */
export type FaultKind =
  | 'forbidden'
  | 'timeout'
  | 'endless'
  | 'long head'
  | 'long body'
  | 'protocol'
  | 'connection';

/** The codes of our errors and undici's. All other codes, such as ECONNREFUSED, mean `connection`. */
const KINDS: Readonly<Record<string, FaultKind>> = {
  EGRESS_FORBIDDEN: 'forbidden',
  EGRESS_TIME_UP: 'timeout',
  EGRESS_ENDLESS_ANSWER: 'endless',
  EGRESS_BODY_TOO_LONG: 'long body',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'long head',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
};

/** Classifies the fault of an exchange. */
export function faultKind(fault: Error): FaultKind {
  if (fault instanceof errors.HTTPParserError) return 'protocol';
  return KINDS[(fault as NodeJS.ErrnoException).code ?? ''] ?? 'connection';
}
