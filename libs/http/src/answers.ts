import type { ErrorCode } from '@kontoport/errors';
import type { z } from 'zod';

/** A section of the contract, such as `§4.3`. */
export type Clause = `§${string}`;

/** Describes an answer for the OpenAPI document. */
export type Answer = {
  description: string;
  /** The meaning of additional headers, by name. */
  headers?: Readonly<Record<string, string>>;
} & (
  | {
      json: z.ZodType;
      /** The body in wire format; it satisfies the schema. */ example: unknown;
      /** Also answered as a page. */ page?: true;
    }
  | { /** Media types, one of which it has. */ bytes: string | readonly string[] }
  | { html: true }
  | { /** To the URL in `Location`. */ redirect: true }
  | { json?: undefined; bytes?: undefined; html?: undefined; redirect?: undefined }
);

/** The successful answers of a route, by status. */
export type Answers = Readonly<Record<number, Answer>>;

/** The statuses that a route with these answers may reply with. */
export type StatusOf<A> = A extends Answers ? keyof A & number : never;

/** An errorCode that a route may refuse with; beside it the status, where it is not the code's first. */
export type Refusal = ErrorCode | { readonly code: ErrorCode; readonly status: number };
