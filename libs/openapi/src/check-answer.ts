import { ERROR_CODES, errorCodeOf, type ErrorEntry } from '@kontoport/errors';
import { isJson, type Json, resolve } from './json.ts';
import { Validator } from './validator.ts';

/** An answer as it left a server. */
export interface Answer {
  /** Method of the request. */
  method: string;
  /** The declared path of the route, `/tpp/:clientId`; undefined when no route matched. */
  path: string | undefined;
  status: number;
  /** Headers by lower-case name. */
  headers: Readonly<Record<string, unknown>>;
  body: string | Uint8Array | undefined;
}

/** The faults of an answer by its document: `GET /accounts 200 accounts.0.iban: must be string`. */
export type CheckAnswer = (answer: Answer) => string[];

/** Bodies that are remembered for an operation, a status and a media type. */
const REMEMBERED = 4;

/** The codes of an answer without a route. */
const OF_NO_ROUTE = ['ROUTE_UNKNOWN', 'METHOD_NOT_ALLOWED', 'FORMAT_ERROR', 'INTERNAL_ERROR', 'UNAVAILABLE'];

interface Operation {
  name: string;
  document: Json;
  /** The id of the document in the validator. */
  id: string;
  responses: Json;
}

/**
 * Checks answers against the documents of the interfaces: status, headers, media type and each member of JSON. An
 * undocumented member is a fault, although callers must accept one; so is an undocumented route.
 */
export function createAnswerCheck(documents: readonly Json[]): CheckAnswer {
  const validator = new Validator();
  const checkBody = once(validator);
  const operations = new Map<string, Operation>();
  for (const [index, document] of documents.entries()) {
    const id = `document:${index}`;
    validator.add(document, id);
    for (const operation of operationsOf(document, id)) operations.set(operation.name, operation);
  }

  return (answer) => {
    const operation = operations.get(nameOf(answer));
    if (operation !== undefined) return told(answer, faultsOf(answer, operation, checkBody));
    return answer.path === undefined ? checkError(answer) : told(answer, ['is in no document']);
  };
}

/**
 * Checks an answer without a document: the status must be one of its errorCode. At an OAuth address an unknown path may
 * have the form of RFC 6749.
 */
export const checkError: CheckAnswer = (answer) => {
  if (answer.method === 'HEAD' || !/[/+]json$/.test(mediaTypeOf(answer))) return [];
  const value = parse(answer.body);
  const { errorCode, error } = isJson(value) ? value : {};
  if (answer.path === undefined && errorCode === undefined && error === 'invalid_request') return [];
  return answer.path === undefined && !OF_NO_ROUTE.includes(String(errorCode))
    ? told(answer, [`has the errorCode ${String(errorCode)}`])
    : told(answer, statusFaults(answer, value));
};

function nameOf({ method, path }: Answer): string {
  return `${method === 'HEAD' ? 'GET' : method} ${path?.replaceAll(/:(\w+)/g, '{$1}') ?? '(no route)'}`;
}

function told(answer: Answer, faults: readonly string[]): string[] {
  return faults.map((fault) => `${nameOf(answer)} ${answer.status} ${fault}`);
}

/** The faults of a body of JSON by the schema of its media type. */
type CheckBody = (answer: Answer, operation: Operation, media: Json) => readonly string[];

/**
 * Validates equal bytes of an operation, status and media type once, so that repeated large documents do not slow down
 * the process.
 */
function once(validator: Validator): CheckBody {
  const known = new Map<string, Map<string, readonly string[]>>();
  return (answer, operation, media) => {
    const { body } = answer;
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const kind = `${operation.name} ${answer.status} ${mediaTypeOf(answer)}`;
    const bodies = known.get(kind) ?? new Map<string, readonly string[]>();
    known.set(kind, bodies);
    const found =
      bodies.get(text) ?? bodyFaults(answer, validator, { schema: media.schema, id: operation.id });
    bodies.set(text, found);
    if (bodies.size > REMEMBERED) bodies.delete(bodies.keys().next().value!);
    return found;
  };
}

function bodyFaults(
  answer: Answer,
  validator: Validator,
  by: { schema: unknown; id: string },
): readonly string[] {
  const value = parse(answer.body);
  if (value === undefined) return ['is no JSON'];
  return [...validator.faults(value, by), ...statusFaults(answer, value)];
}

function faultsOf(answer: Answer, operation: Operation, checkBody: CheckBody): string[] {
  const { document } = operation;
  const response = operation.responses[String(answer.status)];
  if (response === undefined) return ['is no status that the document has'];
  const { headers, content } = resolve(document, response);
  const missing = Object.entries(isJson(headers) ? headers : {})
    .filter(
      ([name, header]) =>
        resolve(document, header).required && answer.headers[name.toLowerCase()] === undefined,
    )
    .map(([name]) => `has no header ${name}`);
  if (answer.method === 'HEAD') return missing;
  if (!isJson(content))
    return [...missing, ...(isEmpty(answer) ? [] : ['has a body, and the document none'])];
  const type = mediaTypeOf(answer);
  const media = content[type];
  if (!isJson(media))
    return [...missing, `is ${type || 'without a type'}, not ${Object.keys(content).join(' or ')}`];
  if (!/[/+]json$/.test(type)) return missing;
  return [...missing, ...checkBody(answer, operation, media)];
}

/** Checks that the status is one of the errorCode. */
function statusFaults({ status }: Answer, value: unknown): string[] {
  const code =
    isJson(value) && status >= 400 ? errorCodeOf(value.errorCode as string | undefined) : undefined;
  if (code === undefined) return [];
  const entry: ErrorEntry = ERROR_CODES[code];
  return entry.status === status || entry.otherStatuses?.includes(status) ? [] : [`is no status of ${code}`];
}

function operationsOf(document: Json, id: string): Operation[] {
  return Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([verb, operation]) => ({
      name: `${verb.toUpperCase()} ${path}`,
      document,
      id,
      responses: (operation as Json).responses as Json,
    })),
  );
}

function mediaTypeOf({ headers }: Answer): string {
  const given = headers['content-type'];
  const [type = ''] = typeof given === 'string' ? given.split(';') : [];
  return type.trim().toLowerCase();
}

function isEmpty({ body }: Answer): boolean {
  return body === undefined || body.length === 0;
}

function parse(body: Answer['body']): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
