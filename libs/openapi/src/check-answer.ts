import { ERROR_CODES, errorCodeOf, type ErrorEntry } from '@kontoport/errors';
import ajvFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJson, type Json, resolve } from './schema-changes.ts';

/** An answer as it left a server. */
export interface Answer {
  /** Method of the request. */
  method: string;
  /** Path of the route as it was declared, `/tpp/:clientId`; undefined when no route took the request. */
  path: string | undefined;
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, unknown>>;
  body: string | Uint8Array | undefined;
}

/** The faults of an answer by its document: `GET /accounts 200 accounts.0.iban: must be string`. */
export type CheckAnswer = (answer: Answer) => string[];

/** What an answer of no route can say. */
const OF_NO_ROUTE = ['ROUTE_UNKNOWN', 'METHOD_NOT_ALLOWED', 'FORMAT_ERROR', 'INTERNAL_ERROR', 'UNAVAILABLE'];

interface Operation {
  name: string;
  document: Json;
  /** Under which the validator knows the document. */
  id: string;
  responses: Json;
}

/**
 * Checks answers against the documents of the interfaces: status, headers, media type and, member by member, JSON.
 * A member that the document does not tell is a fault, although callers must bear one; so is a route in no document.
 */
export function createAnswerCheck(documents: readonly Json[]): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  // A CommonJS module: its function is the member `default` here and the module itself elsewhere.
  const addFormats = (ajvFormats as unknown as { default?: typeof ajvFormats.default }).default;
  (addFormats ?? (ajvFormats as unknown as typeof ajvFormats.default))(ajv);
  const operations = new Map<string, Operation>();
  for (const [index, document] of documents.entries()) {
    const id = `document:${index}`;
    ajv.addSchema({ $id: id, components: closed(document.components, id) as object });
    for (const operation of operationsOf(document, id)) operations.set(operation.name, operation);
  }
  const validators = new Map<unknown, ValidateFunction>();
  const validatorOf = (schema: unknown, id: string): ValidateFunction => {
    const known = validators.get(schema) ?? ajv.compile(closed(schema, id) as object);
    validators.set(schema, known);
    return known;
  };

  return (answer) => {
    const operation = operations.get(nameOf(answer));
    if (operation !== undefined) return told(answer, faultsOf(answer, operation, validatorOf));
    return answer.path === undefined ? checkError(answer) : told(answer, ['is in no document']);
  };
}

/**
 * Checks an answer without a document: an errorCode goes with its status, and with having a route or none. At an address
 * of OAuth what has no route may be refused as RFC 6749 has it.
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

function faultsOf(
  answer: Answer,
  operation: Operation,
  validatorOf: (schema: unknown, id: string) => ValidateFunction,
): string[] {
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
  const value = parse(answer.body);
  if (value === undefined) return [...missing, 'is no JSON'];
  const validate = validatorOf(media.schema, operation.id);
  const fits = validate(value);
  return [...missing, ...(fits ? [] : validate.errors!.map(describeFault)), ...statusFaults(answer, value)];
}

/** An errorCode goes with the statuses of the table only. */
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

/** The same schema with references into the validator's document, and without room for members that it does not list. */
function closed(schema: unknown, id: string, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => closed(item, id, isPart));
  if (!isJson(schema)) return schema;
  const members = Object.entries(schema).map(([name, value]) => {
    if (name === '$ref') return [name, `${id}${String(value)}`];
    return [name, name === 'example' || name === 'enum' ? value : closed(value, id, name === 'allOf')];
  });
  const open =
    schema.type === 'object' && isJson(schema.properties) && schema.additionalProperties === undefined;
  return { ...Object.fromEntries(members), ...(open && !isPart ? { additionalProperties: false } : {}) };
}

function describeFault({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.');
  const extra = (params as { additionalProperty?: string }).additionalProperty;
  const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
  const detail = extra === undefined ? '' : ` (${extra})`;
  return `${place === '' ? '' : `${place}: `}${message}${detail}${allowed === undefined ? '' : `: ${allowed.join(', ')}`}`;
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
