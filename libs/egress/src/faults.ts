import { errors } from 'undici';

/** The guard refused the address. Nothing was sent. */
export class EgressForbidden extends Error {
  override readonly name = 'EgressForbidden';
  readonly code = 'EGRESS_FORBIDDEN';
}

/** The name servers gave no address for the name. `cause` is the resolver's error. */
export class NameNotResolved extends Error {
  override readonly name = 'NameNotResolved';
  readonly code = 'EGRESS_NAME_NOT_RESOLVED';
}

/** The forward proxy opened no tunnel. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed';
  readonly code = 'EGRESS_PROXY_FAILED';
}

/** The peer's certificate is not trusted, has expired or is for another name. `cause` is the error of TLS. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused';
  readonly code = 'EGRESS_CERTIFICATE_REFUSED';
}

/** The TLS handshake failed. `cause` says why. */
export class HandshakeFailed extends Error {
  override readonly name = 'HandshakeFailed';
  readonly code = 'EGRESS_HANDSHAKE_FAILED';
}

/** The time limit passed before the whole answer was here. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
  readonly code = 'EGRESS_TIME_UP';
}

/** The peer switches to a protocol that nobody requested. */
export class ProtocolSwitched extends Error {
  override readonly name = 'ProtocolSwitched';
  readonly code = 'EGRESS_PROTOCOL_SWITCHED';
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

/** Why a request got no answer, or not the whole of it. */
export type FaultReason =
  /** The name has no address, or its name servers do not answer. */
  | 'dns'
  /** The guard or the forward proxy allows no connection to the address. */
  | 'address'
  /** The forward proxy opened no tunnel. */
  | 'proxy'
  /** Nothing accepted a TCP connection. */
  | 'refused'
  /** The TLS handshake failed. */
  | 'tls'
  /** The certificate is not trusted, has expired or is for another name. */
  | 'certificate'
  /** The peer ended the connection before its answer was complete. */
  | 'reset'
  /** A time limit passed. */
  | 'timeout'
  /** What came is no answer in HTTP/1.1. */
  | 'protocol'
  /** Too many bytes around the body: headers, interim answers, chunk extensions, TLS messages. */
  | 'answer-too-long'
  | 'body-too-long';

/** Why there is no status at all. */
export type NoAnswerReason = Exclude<FaultReason, 'body-too-long'>;

/** By the codes of our errors, undici's and Node's. */
const REASONS: Readonly<Record<string, FaultReason>> = {
  EGRESS_NAME_NOT_RESOLVED: 'dns',
  EGRESS_FORBIDDEN: 'address',
  EGRESS_PROXY_FAILED: 'proxy',
  EGRESS_HANDSHAKE_FAILED: 'tls',
  EGRESS_CERTIFICATE_REFUSED: 'certificate',
  EGRESS_TIME_UP: 'timeout',
  EGRESS_PROTOCOL_SWITCHED: 'protocol',
  EGRESS_ENDLESS_ANSWER: 'answer-too-long',
  EGRESS_BODY_TOO_LONG: 'body-too-long',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'answer-too-long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
};

/** What undici says of an answer that its parser accepts and undici does not: `100 Continue`, an answer that nobody requested. */
const NOT_HTTP = /^bad (response|upgrade)$/;

/** Classifies the fault of an exchange. A fault of no other reason means that the connection ended. */
export function faultReason(fault: Error): FaultReason {
  if (fault instanceof errors.HTTPParserError) return 'protocol';
  if (fault instanceof errors.SocketError && NOT_HTTP.test(fault.message)) return 'protocol';
  const code = (fault as NodeJS.ErrnoException).code ?? '';
  // TLS 1.3 refuses a client without a certificate after the handshake.
  return REASONS[code] ?? (/^ERR_SSL_|^EPROTO$/.test(code) ? 'tls' : 'reset');
}
