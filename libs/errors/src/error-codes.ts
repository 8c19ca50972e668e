import { status as grpcStatus } from '@grpc/grpc-js';

/** How one errorCode travels and what it tells: the one table of all errors. */
export interface ErrorEntry {
  /** HTTP status, unless the route documents another of `otherStatuses`. */
  status: number;
  otherStatuses?: readonly number[];
  /** gRPC status code between the services. */
  grpc: grpcStatus;
  cause: string;
  cure: string;
}

/** Every errorCode that a TPP can receive (specification §7; a closed list). */
export const ERROR_CODES = {
  FORMAT_ERROR: {
    status: 400,
    otherStatuses: [415],
    grpc: grpcStatus.INVALID_ARGUMENT,
    cause: 'A parameter, header or body is malformed, unknown or missing.',
    cure: 'Correct the parts that `details` names.',
  },
  CERTIFICATE_MISSING: {
    status: 401,
    otherStatuses: [403],
    grpc: grpcStatus.UNAUTHENTICATED,
    cause: 'No client certificate was presented.',
    cure: 'Present the eIDAS QWAC with its chain in the TLS handshake.',
  },
  CERTIFICATE_INVALID: {
    status: 401,
    otherStatuses: [403],
    grpc: grpcStatus.UNAUTHENTICATED,
    cause: 'The client certificate is not a valid eIDAS QWAC under a trusted issuer.',
    cure: 'The message names the first check that failed; ask the issuer for a certificate that passes it.',
  },
  CERTIFICATE_EXPIRED: {
    status: 401,
    otherStatuses: [403],
    grpc: grpcStatus.UNAUTHENTICATED,
    cause: 'A certificate of the chain is expired or not valid yet.',
    cure: 'Present a certificate within its validity.',
  },
  CERTIFICATE_REVOKED: {
    status: 401,
    otherStatuses: [403],
    grpc: grpcStatus.UNAUTHENTICATED,
    cause: 'A certificate of the chain is revoked.',
    cure: 'Obtain a new certificate.',
  },
  ROLE_INVALID: {
    status: 403,
    grpc: grpcStatus.PERMISSION_DENIED,
    cause: 'The certificate does not carry the requested role.',
    cure: 'Request only roles that the certificate holds.',
  },
  TOKEN_MISSING: {
    status: 401,
    otherStatuses: [403],
    grpc: grpcStatus.UNAUTHENTICATED,
    cause: 'There is no bearer token.',
    cure: 'Send `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  TOKEN_INVALID: {
    status: 401,
    otherStatuses: [403],
    grpc: grpcStatus.UNAUTHENTICATED,
    cause: 'The token is not one of ours, is bound to another client, or its client was deleted.',
    cure: 'Obtain a new token over the certificate that you present.',
  },
  TOKEN_EXPIRED: {
    status: 401,
    otherStatuses: [403],
    grpc: grpcStatus.UNAUTHENTICATED,
    cause: 'The token is past its lifetime.',
    cure: 'Obtain a new token.',
  },
  SCOPE_INSUFFICIENT: {
    status: 403,
    grpc: grpcStatus.PERMISSION_DENIED,
    cause: 'The token does not carry the scope that the route demands.',
    cure: 'Obtain a token with the scope; it must be among the roles of the client.',
  },
  CLIENT_UNKNOWN: {
    status: 404,
    otherStatuses: [401],
    grpc: grpcStatus.NOT_FOUND,
    cause: 'The client id is unknown or not owned by the presenting certificate.',
    cure: 'Use the clientId from the registration response, over a certificate of that client.',
  },
  RESOURCE_UNKNOWN: {
    status: 404,
    grpc: grpcStatus.NOT_FOUND,
    cause: 'There is no such resource for this client.',
    cure: 'Use an id that an earlier response of this client contained.',
  },
  ROUTE_UNKNOWN: {
    status: 404,
    grpc: grpcStatus.UNIMPLEMENTED,
    cause: 'No route has this path.',
    cure: 'Check the path against the documentation.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    grpc: grpcStatus.UNIMPLEMENTED,
    cause: 'The path exists, but not with this method.',
    cure: 'Use a method that the `Allow` header names.',
  },
  CURSOR_INVALID: {
    status: 400,
    grpc: grpcStatus.INVALID_ARGUMENT,
    cause: 'The cursor is not one of ours, or account, from, to or limit changed since it was given.',
    cure: 'Start again without cursor.',
  },
  STATUS_INVALID: {
    status: 400,
    otherStatuses: [409],
    grpc: grpcStatus.FAILED_PRECONDITION,
    cause: 'The resource is in a state that does not allow this.',
    cure: 'Read the resource and act on its present status.',
  },
  DUPLICATE_ID: {
    status: 409,
    grpc: grpcStatus.ALREADY_EXISTS,
    cause: 'The id chosen by the caller is taken, or was taken once.',
    cure: 'Choose another id.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    grpc: grpcStatus.ALREADY_EXISTS,
    cause: 'The request id was used before with another body.',
    cure: 'Repeat the first body, or choose a new request id.',
  },
  FUNDS_INSUFFICIENT: {
    status: 400,
    grpc: grpcStatus.FAILED_PRECONDITION,
    cause: 'The available amount of the account does not cover the amount.',
    cure: 'Lower the amount or wait for funds.',
  },
  RATE_LIMITED: {
    status: 429,
    grpc: grpcStatus.RESOURCE_EXHAUSTED,
    cause: 'Too many requests.',
    cure: 'Wait for the time in `Retry-After`.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    grpc: grpcStatus.INVALID_ARGUMENT,
    cause: 'The body is larger than allowed.',
    cure: 'Send a smaller body.',
  },
  UNAVAILABLE: {
    status: 503,
    grpc: grpcStatus.UNAVAILABLE,
    cause: 'Something that the answer depends on does not respond at the moment.',
    cure: 'Repeat the request after the time in `Retry-After`.',
  },
  INTERNAL_ERROR: {
    status: 500,
    grpc: grpcStatus.INTERNAL,
    cause: 'A fault of the service.',
    cure: 'Repeat the request; report the requestId when it persists.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Looks an errorCode up by its text; undefined when it is not in the table. */
export function errorCodeOf(text: string | undefined): ErrorCode | undefined {
  return text !== undefined && Object.hasOwn(ERROR_CODES, text) ? (text as ErrorCode) : undefined;
}
