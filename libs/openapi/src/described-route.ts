import type { ErrorCode } from '@kontoport/errors';
import type { z } from 'zod';

/** The authentication of a route, in the terms of the gate. */
export interface DescribedSecurity {
  readonly kind: string;
  readonly scope?: string;
  readonly certificateRefusal?: number;
  readonly tokenRefusal?: number;
}

/** One answer of a route: with JSON, with a body of another type, or without any. */
export interface DescribedAnswer {
  readonly description: string;
  readonly json?: z.ZodType;
  readonly example?: unknown;
  readonly html?: true;
  /** Also available as a page. */
  readonly page?: true;
  /** To the URL in `Location`. */
  readonly redirect?: true;
  /** Media types of the bytes, one of which they have. */
  readonly bytes?: string | readonly string[];
  /** Description of each header by its name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An errorCode that a route can answer, with the status where it is not the code's first. */
export type Refusal = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** The part of a route that a document describes. */
export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly clause: string | readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: DescribedSecurity;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: {
    readonly json?: z.ZodType;
    readonly form?: z.ZodType;
    readonly optional?: boolean;
    readonly example?: unknown;
  };
  /** The refusal of an unknown path parameter, if it is not RESOURCE_UNKNOWN. */
  readonly unknown?: () => { code: ErrorCode; status: number };
  readonly resource?: unknown;
  readonly answers: Readonly<Record<number, DescribedAnswer>>;
  readonly refusals?: readonly Refusal[];
  /** Default: JSON; a function renders a page. */
  readonly errors?: 'oauth' | 'html' | 'developers' | ((failure: never) => unknown);
  readonly deprecated?: { readonly since: Date; readonly sunset?: Date; readonly link: string };
}
