import type { ErrorCode } from '@kontoport/errors';
import type { z } from 'zod';

/** A section of the contract, such as `§4.3`. */
export type Clause = `§${string}`;

/** What an answer means and what it carries, for the description of the interface. */
export type Answer = {
  description: string;
  /** Headers beyond those that every answer has: what each one means, by name. */
  headers?: Readonly<Record<string, string>>;
} & (
  | {
      json: z.ZodType;
      /** As it goes over the wire; it satisfies the schema. */ example: unknown;
      /** Also a page, for whoever prefers one. */ page?: true;
    }
  | { /** Media types, one of which it has. */ bytes: string | readonly string[] }
  | { html: true }
  | { /** To the URL in `Location`. */ redirect: true }
  | { json?: undefined; bytes?: undefined; html?: undefined; redirect?: undefined }
);

/** The answers of a route that grant what was asked for, by status. */
export type Answers = Readonly<Record<number, Answer>>;

/** The statuses that a route with these answers may reply with. */
export type StatusOf<A> = A extends Answers ? keyof A & number : never;

/** An errorCode that a route may refuse with; beside it the status, where it is not the code's first. */
export type Refusal = ErrorCode | { readonly code: ErrorCode; readonly status: number };
