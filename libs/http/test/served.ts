import { connect } from 'node:net';
import { ApiError, type Text, writtenText } from '@kontoport/errors';
import {
  type Answers,
  type BodyRule,
  declareRoute,
  type Gatekeeper,
  type Route,
  type RouteDefinition,
  startHttpServer,
} from '@kontoport/http';
import { createLogger } from '@kontoport/runtime';
import type { z } from 'zod';

/** A sentence that no catalogue has. */
export const said = (words: string): Text => writtenText({ en: words, da: words, sv: words, nb: words });

const logger = createLogger({ service: 'test', level: 'silent' });

/** The rules of a gate that has one: a caller who says who it is, is. */
type Rule = { kind: 'public' } | { kind: 'known'; only?: string };
type Known<S extends Rule> = S extends { kind: 'known' } ? { name: string } : Record<never, never>;

const gate: Gatekeeper<Rule> = {
  async prove(security, request) {
    if (security.kind === 'public') return { proven: {} };
    const name = request.headers['x-name'];
    if (typeof name !== 'string') throw new ApiError('CERTIFICATE_MISSING', said('Say who you are.'));
    const decideLast = (): void => {
      if (security.only !== undefined && security.only !== name)
        throw new ApiError('SCOPE_INSUFFICIENT', said('This is for another.'));
    };
    return { proven: { name }, clientId: name, decideLast };
  },
};

/** What a test need not say of its routes. */
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
}) {
  const { routes, prefixes = [], drainLimitMs = 8_000 } = options;
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes,
    gate,
    logger,
    prefixes,
    drainLimitMs,
  });
  return { port: server.port, origin: `http://127.0.0.1:${server.port}`, close: () => server.close() };
}

/** Writes bytes as they are, and reads until the server ends the connection. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  // A connection that is cut is the end of the answer, too.
  socket.on('error', () => {});
  socket.write(bytes);
  await closed;
  return received;
}

/** Status and JSON body of a raw answer. */
export function readRaw(answer: string): { status: number; head: string; json: Record<string, unknown> } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    head,
    json: JSON.parse(body) as Record<string, unknown>,
  };
}

/** A GET with exactly these header lines. */
export function rawGet(path: string, lines: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}
