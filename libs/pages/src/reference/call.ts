import { type Document, type Entry, type Parameter, resolve } from './document.ts';

/** A text with variables of the environment in it. */
export type Template = readonly (string | { env: string })[];

/** One request, as every language sends it. */
export interface Call {
  method: string;
  url: Template;
  /** Whether it presents a client certificate. */
  certificate: boolean;
  headers: readonly { name: string; value: Template }[];
  /** HTTP Basic authentication with the credentials of the client. */
  credentials: boolean;
  body?: { type: string; text: string } | undefined;
}

const FORM = 'application/x-www-form-urlencoded';

/** Makes the request of an operation from its examples. */
export function callOf(document: Document, { method = 'POST', name, operation }: Entry, base: string): Call {
  const { security = [], parameters = [], requestBody } = operation;
  const demanded = Object.assign({}, ...security) as Readonly<Record<string, unknown>>;
  const headers = parameters
    .map((parameter) => resolve<Parameter>(document, parameter))
    .filter((parameter) => parameter.in === 'header' && parameter.required);
  const body = bodyOf(requestBody?.content);
  return {
    method,
    url: templateOf(base + name),
    certificate: 'certificate' in demanded,
    credentials: 'clientCredentials' in demanded,
    headers: [
      ...('oauth' in demanded ? [{ name: 'Authorization', value: ['Bearer ', { env: 'TOKEN' }] }] : []),
      ...headers.map((header) => ({ name: header.name, value: [{ env: variableOf(header.name) }] })),
      ...(body === undefined ? [] : [{ name: 'Content-Type', value: [body.type] }]),
    ],
    body,
  };
}

function bodyOf(content: Readonly<Record<string, { example?: unknown }>> | undefined): Call['body'] {
  const [entry] = Object.entries(content ?? {});
  if (entry === undefined || entry[1].example === undefined) return undefined;
  const [type, { example }] = entry;
  if (type !== FORM) return { type, text: JSON.stringify(example, null, 2) };
  const fields = Object.entries(example as Record<string, unknown>).map(([key, value]) => [
    key,
    String(value),
  ]);
  return { type, text: new URLSearchParams(fields as [string, string][]).toString() };
}

/** `/accounts/{accountId}` has the variable ACCOUNT_ID. */
function templateOf(path: string): Template {
  return path
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\w+\}$/.test(part) ? { env: variableOf(part.slice(1, -1)) } : part));
}

/** The variables of the environment that a request reads. */
export function variablesOf({ url, headers, credentials }: Call): string[] {
  const named = [url, ...headers.map(({ value }) => value)].flatMap((template) =>
    template.flatMap((part) => (typeof part === 'string' ? [] : [part.env])),
  );
  return [...new Set([...(credentials ? ['CLIENT_ID', 'CLIENT_SECRET'] : []), ...named])];
}

const variableOf = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toUpperCase();
