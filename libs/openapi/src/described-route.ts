import type { ApiError } from '@kontoport/errors';
import type { Route } from '@kontoport/gate';
import type { z } from 'zod';

/** An answer of a route, of any kind. */
export interface DescribedAnswer {
  description: string;
  headers?: Readonly<Record<string, string>>;
  json?: z.ZodType;
  example?: unknown;
  page?: true;
  html?: true;
  redirect?: true;
  bytes?: string | readonly string[];
}

/** The part of a route that a document describes. */
export type DescribedRoute = Omit<Route, 'handler' | 'resource' | 'exists' | 'answers' | 'unknown'> & {
  answers: Readonly<Record<number, DescribedAnswer>>;
  resource?: unknown;
  unknown?: () => Pick<ApiError, 'code' | 'status'>;
};
