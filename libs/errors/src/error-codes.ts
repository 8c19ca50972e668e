import type { status } from '@grpc/grpc-js';
import { CODE_TEXTS } from './code-texts.ts';
import type { Template } from './text.ts';

/** The status codes of gRPC in use. They are not imported, so that users of errors do not load gRPC. */
export const GRPC_STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const satisfies Partial<Record<keyof typeof status, number>>;

/** An errorCode: its statuses and texts. The table of all errors. */
export interface ErrorEntry {
  /** HTTP status, unless the route documents another of `otherStatuses`. */
  status: number;
  otherStatuses?: readonly number[];
  /** gRPC status code between the services. */
  grpc: (typeof GRPC_STATUS)[keyof typeof GRPC_STATUS];
  cause: Template;
  cure: Template;
}

/** Every errorCode that a TPP can receive (§7; a closed list). */
export const ERROR_CODES = {
  FORMAT_ERROR: {
    status: 400,
    otherStatuses: [408, 415, 417, 431],
    grpc: GRPC_STATUS.INVALID_ARGUMENT,
    ...CODE_TEXTS.FORMAT_ERROR,
  },
  CERTIFICATE_MISSING: {
    status: 401,
    otherStatuses: [403],
    grpc: GRPC_STATUS.UNAUTHENTICATED,
    ...CODE_TEXTS.CERTIFICATE_MISSING,
  },
  CERTIFICATE_INVALID: {
    status: 401,
    otherStatuses: [403],
    grpc: GRPC_STATUS.UNAUTHENTICATED,
    ...CODE_TEXTS.CERTIFICATE_INVALID,
  },
  CERTIFICATE_EXPIRED: {
    status: 401,
    otherStatuses: [403],
    grpc: GRPC_STATUS.UNAUTHENTICATED,
    ...CODE_TEXTS.CERTIFICATE_EXPIRED,
  },
  CERTIFICATE_REVOKED: {
    status: 401,
    otherStatuses: [403],
    grpc: GRPC_STATUS.UNAUTHENTICATED,
    ...CODE_TEXTS.CERTIFICATE_REVOKED,
  },
  ROLE_INVALID: {
    status: 403,
    grpc: GRPC_STATUS.PERMISSION_DENIED,
    ...CODE_TEXTS.ROLE_INVALID,
  },
  TOKEN_MISSING: {
    status: 401,
    otherStatuses: [403],
    grpc: GRPC_STATUS.UNAUTHENTICATED,
    ...CODE_TEXTS.TOKEN_MISSING,
  },
  TOKEN_INVALID: {
    status: 401,
    otherStatuses: [403],
    grpc: GRPC_STATUS.UNAUTHENTICATED,
    ...CODE_TEXTS.TOKEN_INVALID,
  },
  TOKEN_EXPIRED: {
    status: 401,
    otherStatuses: [403],
    grpc: GRPC_STATUS.UNAUTHENTICATED,
    ...CODE_TEXTS.TOKEN_EXPIRED,
  },
  SCOPE_INSUFFICIENT: {
    status: 403,
    grpc: GRPC_STATUS.PERMISSION_DENIED,
    ...CODE_TEXTS.SCOPE_INSUFFICIENT,
  },
  CLIENT_UNKNOWN: {
    status: 404,
    otherStatuses: [401],
    grpc: GRPC_STATUS.NOT_FOUND,
    ...CODE_TEXTS.CLIENT_UNKNOWN,
  },
  RESOURCE_UNKNOWN: {
    status: 404,
    grpc: GRPC_STATUS.NOT_FOUND,
    ...CODE_TEXTS.RESOURCE_UNKNOWN,
  },
  ROUTE_UNKNOWN: {
    status: 404,
    grpc: GRPC_STATUS.UNIMPLEMENTED,
    ...CODE_TEXTS.ROUTE_UNKNOWN,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    grpc: GRPC_STATUS.UNIMPLEMENTED,
    ...CODE_TEXTS.METHOD_NOT_ALLOWED,
  },
  CURSOR_INVALID: {
    status: 400,
    grpc: GRPC_STATUS.INVALID_ARGUMENT,
    ...CODE_TEXTS.CURSOR_INVALID,
  },
  STATUS_INVALID: {
    status: 409,
    otherStatuses: [400],
    grpc: GRPC_STATUS.FAILED_PRECONDITION,
    ...CODE_TEXTS.STATUS_INVALID,
  },
  DUPLICATE_ID: {
    status: 409,
    grpc: GRPC_STATUS.ALREADY_EXISTS,
    ...CODE_TEXTS.DUPLICATE_ID,
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    grpc: GRPC_STATUS.ALREADY_EXISTS,
    ...CODE_TEXTS.IDEMPOTENCY_CONFLICT,
  },
  FUNDS_INSUFFICIENT: {
    status: 400,
    grpc: GRPC_STATUS.FAILED_PRECONDITION,
    ...CODE_TEXTS.FUNDS_INSUFFICIENT,
  },
  RATE_LIMITED: {
    status: 429,
    grpc: GRPC_STATUS.RESOURCE_EXHAUSTED,
    ...CODE_TEXTS.RATE_LIMITED,
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    grpc: GRPC_STATUS.INVALID_ARGUMENT,
    ...CODE_TEXTS.PAYLOAD_TOO_LARGE,
  },
  UNAVAILABLE: {
    status: 503,
    otherStatuses: [502, 504],
    grpc: GRPC_STATUS.UNAVAILABLE,
    ...CODE_TEXTS.UNAVAILABLE,
  },
  INTERNAL_ERROR: {
    status: 500,
    grpc: GRPC_STATUS.INTERNAL,
    ...CODE_TEXTS.INTERNAL_ERROR,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Looks an errorCode up by its text; undefined when it is not in the table. */
export function errorCodeOf(text: string | undefined): ErrorCode | undefined {
  return text !== undefined && Object.hasOwn(ERROR_CODES, text) ? (text as ErrorCode) : undefined;
}
