// The operations of the four addresses, from their OpenAPI documents.
import base from '@kontoport/proto/openapi/account-and-payment' with { type: 'json' };
import registration from '@kontoport/proto/openapi/registration' with { type: 'json' };
import token from '@kontoport/proto/openapi/token' with { type: 'json' };
import user from '@kontoport/proto/openapi/user' with { type: 'json' };

interface Operation {
  security?: readonly Readonly<Record<string, unknown>>[];
  requestBody?: { content?: Readonly<Record<string, unknown>> };
}

interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const DOCUMENTS = {
  baseUrl: base,
  registrationUrl: registration,
  authUrl: token,
  userUrl: user,
} as const satisfies Record<string, Document>;

/** Every path of the base address may have this prefix (§4). */
const OPTIONAL_PREFIX = /^\/aisp-pisp(?=\/)/;

/** The operation behind a path, as far as a call depends on it. */
export interface Target {
  address: keyof typeof DOCUMENTS;
  /** The client authenticates with its secret instead of a token. */
  takesCredentials: boolean;
  /** The body is a form instead of JSON. */
  takesForm: boolean;
}

const matches = (template: string, path: string): boolean => {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => part === given[at] || (/^\{\w+\}$/.test(part) && given[at] !== ''))
  );
};

/** Finds the address that serves a path. An unknown path goes to the base address, whose answer names the right one. */
export function targetOf(method: string, path: string): Target {
  const plain = path.replace(/[?#].*$/, '').replace(OPTIONAL_PREFIX, '');
  for (const address of Object.keys(DOCUMENTS) as Target['address'][]) {
    const { paths }: Document = DOCUMENTS[address];
    const template = Object.keys(paths).find((known) => matches(known, plain));
    if (template === undefined) continue;
    const operation = (paths[template]![method.toLowerCase()] ?? {}) as Operation;
    return {
      address,
      takesCredentials: operation.security?.some((row) => 'clientCredentials' in row) ?? false,
      takesForm: 'application/x-www-form-urlencoded' in (operation.requestBody?.content ?? {}),
    };
  }
  return { address: 'baseUrl', takesCredentials: false, takesForm: false };
}

/** The event types that a subscription may name. */
export const EVENT_TYPES: readonly string[] = Object.keys(base.webhooks).filter(
  (type) => type !== 'Webhook.TestV1',
);
