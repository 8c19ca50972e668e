import { errors } from 'undici';

/** The reason why a request got no answer, or only a part of it. */
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
  /** The received bytes are no HTTP/1.1 answer. */
  | 'protocol'
  /** Too many bytes around the body: headers, interim answers, chunk extensions, TLS messages. */
  | 'answer-too-long'
  | 'body-too-long';

/** A fault of an exchange that this library finds itself. `cause` is the error behind it. */
export class EgressFault extends Error {
  override readonly name = 'EgressFault';
  readonly reason: FaultReason;

  constructor(reason: FaultReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The reasons of requests without a status. */
export type NoAnswerReason = Exclude<FaultReason, 'body-too-long'>;

/** Reasons by the codes of undici's and Node's errors. */
const REASONS: Readonly<Record<string, FaultReason>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'answer-too-long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
};

/** undici's messages for an answer that its parser accepts and undici rejects: `100 Continue`, an answer without a request. */
const NOT_HTTP = /^bad (response|upgrade)$/;

/** Classifies the fault of an exchange. A fault of no other reason means that the connection ended. */
export function faultReason(fault: Error): FaultReason {
  if (fault instanceof EgressFault) return fault.reason;
  if (fault instanceof errors.HTTPParserError) return 'protocol';
  if (fault instanceof errors.SocketError && NOT_HTTP.test(fault.message)) return 'protocol';
  const code = (fault as NodeJS.ErrnoException).code ?? '';
  // TLS 1.3 refuses a client without a certificate after the handshake.
  return REASONS[code] ?? (/^ERR_SSL_|^EPROTO$/.test(code) ? 'tls' : 'reset');
}
