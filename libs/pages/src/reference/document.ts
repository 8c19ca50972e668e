/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface Document {
  info: { title: string; description?: string; version?: string };
  servers?: readonly {
    url: string;
    variables?: Readonly<Record<string, { default: string }>>;
  }[];
  tags?: readonly { name: string; description?: string }[];
  paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components?: Components;
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Operation {
  operationId?: string;
  tags?: readonly string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: RequestBody;
  responses?: Readonly<Record<string, Response | Reference>>;
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

export interface RequestBody {
  required?: boolean;
  content?: Readonly<Record<string, MediaType>>;
}

export interface Response {
  description?: string;
  headers?: Readonly<Record<string, { description?: string } | Reference>>;
  content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
}

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  default?: unknown;
  [bound: string]: unknown;
}

/** One operation or webhook of a document. */
export interface Entry {
  /** Unique in the document; the last part of the address of its page. */
  id: string;
  /** Absent for a webhook. */
  method?: string;
  /** Its path, or the type of the event. */
  name: string;
  operation: Operation;
}

/** Lists the operations of a document, then its webhooks. */
export function entriesOf({ paths = {}, webhooks = {} }: Document): Entry[] {
  const operations = Object.entries(paths).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId ?? `${method}${name.replaceAll(/\W+/g, '-')}`,
      method: method.toUpperCase(),
      name,
      operation,
    })),
  );
  const events = Object.entries(webhooks).flatMap(([name, methods]) =>
    Object.values(methods).map((operation) => ({ id: operation.operationId ?? name, name, operation })),
  );
  return [...operations, ...events];
}

/** Follows a reference into the components of a document. */
export function resolve<T extends object>({ components = {} }: Document, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const [group = '', name = ''] = value.$ref.split('/').slice(-2);
  return (components[group]?.[name] ?? {}) as T;
}

/** The base of an interface: the given one, or the default of the document. */
export function baseOf({ servers = [] }: Document, given: string | undefined): string {
  if (given !== undefined) return given;
  const [server] = servers;
  const { url, variables = {} } = server ?? { url: 'https://localhost' };
  return url.replaceAll(/\{(\w+)\}/g, (_, name: string) => variables[name]?.default ?? '');
}
