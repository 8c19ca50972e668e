import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';

const JSON_TYPE = 'application/json';

/** Whether a caller prefers RFC 9457 to plain JSON (§7). */
export function prefersProblem(accept: string | undefined): boolean {
  return prefers(accept, 'application/problem+json');
}

/** Whether a caller prefers a page to JSON, as browsers do. */
export function prefersHtml(accept: string | undefined): boolean {
  return prefers(accept, 'text/html');
}

/** Whether Accept (RFC 9110 §12.5.1) puts a type before JSON. */
function prefers(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return false;
  const isFirst = (header: string): boolean => accepting({ accept: header }).type([JSON_TYPE, type]) === type;
  // Between equal weights `accepts` prefers the first type of its list. JSON wins there, so the type must win in both orders.
  return isFirst(accept) && isFirst(accept.split(',').toReversed().join());
}

/** The first of several languages by Accept-Language (RFC 9110 §12.5.4). */
export function preferredLanguage(accepted: string, languages: string[]): string | undefined {
  return accepting({ 'accept-language': accepted }).language(languages) || undefined;
}

/** `accepts` reads nothing of a request but its headers. */
const accepting = (headers: IncomingMessage['headers']) => accepts({ headers } as IncomingMessage);
