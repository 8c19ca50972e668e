import { ApiError } from '@kontoport/errors';
import {
  type Answers,
  type Authenticator,
  type BodyRule,
  declareRoute,
  type ErrorForm,
  type Route,
  type RouteDefinition,
  startHttpServer,
} from '@kontoport/http';
import type { InternalTls } from '@kontoport/internal-tls';
import { createLogger } from '@kontoport/lifecycle';
import type { Shell } from '@kontoport/pages';
import { said } from '@kontoport/testing/said';
import type { z } from 'zod';

const logger = createLogger({ service: 'test', level: 'silent' });

/** The rules of a gate that accepts the name in the header `x-name`. */
type Rule = { kind: 'public' } | { kind: 'known' };
type Known<S extends Rule> = S extends { kind: 'known' } ? { name: string } : Record<never, never>;

const gate: Authenticator<Rule> = {
  async authenticate(security, { request, identity }) {
    if (security.kind === 'public') return { principal: {} };
    const name = request.headers['x-name'];
    if (typeof name !== 'string') throw new ApiError('CERTIFICATE_MISSING', said('Say who you are.'));
    identity.clientId = name;
    return { principal: { name } };
  },
};

/** Members of a route that a test may omit. */
type Words = 'clause' | 'summary' | 'answers';

/** Declares a route behind that gate; without answers it may reply with any status. */
export function route<
  const S extends Rule,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends BodyRule | undefined = undefined,
  Resource = undefined,
  const A extends Answers = Answers,
>(
  given: Omit<RouteDefinition<S, Known<S>, P, Q, B, Resource, A>, Words> &
    Partial<Pick<RouteDefinition<S, Known<S>, P, Q, B, Resource, A>, Words>>,
): Route<Rule> {
  const definition = { clause: '§4', summary: 'A test', answers: {}, ...given };
  return declareRoute(definition as RouteDefinition<S, Known<S>, P, Q, B, Resource, A>);
}

/** A route list behind that gate, as a service would serve it. */
export async function serve(options: {
  routes: readonly Route<Rule>[];
  prefixes?: readonly string[];
  drainLimitMs?: number;
  lastCallMs?: number;
  errors?: ErrorForm | undefined;
  shell?: Shell;
  /** Internal TLS, for the edge alone. */
  tls?: InternalTls | undefined;
}) {
  const { routes, prefixes = [], drainLimitMs = 8_000, lastCallMs = 0, errors, shell, tls } = options;
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes,
    gate,
    logger,
    prefixes,
    drainLimitMs,
    lastCallMs,
    errors,
    shell,
    tls,
    callers: ['edge'],
  });
  return { port: server.port, origin: `http://127.0.0.1:${server.port}`, close: () => server.close() };
}
