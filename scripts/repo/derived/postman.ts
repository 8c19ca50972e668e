import type { Document, Operation } from './document.ts';

/** Folders of the collection, by the tags of the documents. A run from top to bottom finds the ids that it needs. */
const FOLDERS = [
  'Start',
  'Clients',
  'Tokens',
  'Accounts',
  'Polling',
  'Payments',
  'Webhooks',
  'Sandbox',
  'Interface',
];
/** Everything else needs the client and its token. */
const START = ['/tpp', '/oauth2/token'];

/** The environment of a local stack. Later requests use what the answers of earlier ones fill in. */
const VARIABLES: Readonly<Record<string, string>> = {
  base_url: 'https://localhost:8443',
  registration_url: 'https://localhost:8444',
  auth_url: 'https://localhost:8445',
  redirectUrl: 'https://tpp.example/callback',
  clientId: '',
  clientSecret: '',
  accessToken: '',
  accountId: '',
  transactionId: '',
  attachmentId: '',
  paymentId: '',
  draftId: '',
  requestId: '',
  id: '',
  deliveryId: '',
  replayId: '',
  errorCode: 'TOKEN_EXPIRED',
};
const SECRETS = new Set(['clientSecret', 'accessToken']);

/** Members of bodies whose value is a variable. A transactionId of a body is a new one. */
const MEMBERS: Readonly<Record<string, string>> = {
  senderAccountId: 'accountId',
  accountId: 'accountId',
  redirectUrl: 'redirectUrl',
  draftId: 'draftId',
  requestId: 'requestId',
};
/** Lists of bodies with one value, which is a variable. */
const LISTS: Readonly<Record<string, string>> = { redirectUris: 'redirectUrl', draftIds: 'draftId' };

const CHOOSE_IDS = `for (const name of ['draftId', 'requestId', 'id'])
  if (!pm.environment.get(name)) pm.environment.set(name, pm.variables.replaceIn('{{$guid}}'));`;

const REMEMBER = `pm.test('has a status below 400', () => pm.expect(pm.response.code).to.be.below(400));
const type = pm.response.headers.get('Content-Type') || '';
const body = type.startsWith('application/json') ? pm.response.json() : {};
const remember = (name, value) => value && pm.environment.set(name, value);
for (const name of ['clientId', 'clientSecret', 'paymentId', 'replayId']) remember(name, body[name]);
remember('accessToken', body.access_token);
const first = (list, wanted = () => true) => (list || []).find(wanted) || {};
remember('accountId', first(body.accounts, ({ currency }) => currency === 'DKK').id);
remember('transactionId', first(body.transactions).id);
remember('deliveryId', first(body.deliveries).deliveryId);`;

const script = (listen: string, code: string): object => ({
  listen,
  script: { type: 'text/javascript', exec: code.split('\n') },
});

/** Writes a Postman collection (format 2.1), which other HTTP clients import as well. */
export function writeCollection({ paths }: Document): string {
  const folders = new Map(FOLDERS.map((name) => [name, [] as object[]]));
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations))
      folders.get(folderOf(path, operation))!.push({
        name: operation.summary,
        request: requestOf(path, method, operation),
      });
  return json({
    info: {
      name: 'Kontoport',
      description:
        'Import local.postman_environment.json, and set the client certificate (QWAC and key) and the root of the server.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    event: [script('prerequest', CHOOSE_IDS), script('test', REMEMBER)],
    item: [...folders].map(([name, item]) => ({ name, item })),
  });
}

/** Writes the environment of the collection for a local stack. */
export function writeEnvironment(): string {
  const values = Object.entries(VARIABLES).map(([key, value]) => ({
    key,
    value,
    type: SECRETS.has(key) ? 'secret' : 'default',
    enabled: true,
  }));
  return json({ name: 'Kontoport, local stack', values });
}

function folderOf(path: string, { tags }: Operation): string {
  if (START.includes(path)) return 'Start';
  return path.startsWith('/sandbox/') ? 'Sandbox' : tags![0]!;
}

function requestOf(path: string, method: string, operation: Operation): object {
  const { address, description, parameters = [], requestBody, security = [] } = operation;
  const parts = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  return {
    method: method.toUpperCase(),
    description,
    url: {
      raw: `{{${address}}}/${parts.join('/')}`,
      host: [`{{${address}}}`],
      path: parts,
      query: of('query').map(({ name, example = '', required, ...parameter }) => ({
        key: name,
        value: String(example),
        description: parameter.description,
        disabled: required !== true,
      })),
      variable: of('path').map(({ name, ...parameter }) => ({
        key: name,
        value: `{{${variableOf(name)}}}`,
        description: parameter.description,
      })),
    },
    auth: authOf(security),
    ...(requestBody && bodyOf(requestBody)),
  };
}

/** @throws Error for a parameter without a variable */
function variableOf(name: string): string {
  if (name in VARIABLES) return name;
  throw new Error(`scripts/repo/derived/postman.ts has no variable for the path parameter ${name}`);
}

function authOf(security: NonNullable<Operation['security']>): object {
  const schemes = security.flatMap((each) => Object.keys(each));
  const auth = (type: string, values: Record<string, string>): object => ({
    type,
    [type]: Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' })),
  });
  if (schemes.includes('oauth')) return auth('bearer', { token: '{{accessToken}}' });
  if (schemes.includes('clientCredentials'))
    return auth('basic', { username: '{{clientId}}', password: '{{clientSecret}}' });
  return { type: 'noauth' };
}

function bodyOf({ content }: NonNullable<Operation['requestBody']>): object {
  const [[type, { example = {} }] = ['', {}]] = Object.entries(content);
  const filled = Object.entries(example).map(([name, value]): [string, unknown] => {
    if (name in MEMBERS) return [name, `{{${MEMBERS[name]}}}`];
    return name in LISTS ? [name, [`{{${LISTS[name]}}}`]] : [name, value];
  });
  const body = type.endsWith('urlencoded')
    ? { mode: 'urlencoded', urlencoded: filled.map(([key, value]) => ({ key, value })) }
    : {
        mode: 'raw',
        raw: json(Object.fromEntries(filled)).trimEnd(),
        options: { raw: { language: 'json' } },
      };
  return { header: [{ key: 'Content-Type', value: type }], body };
}

const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
