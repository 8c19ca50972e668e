import { describeWith } from '@kontoport/testing/describe-with';
import { breakingChanges, missingOasdiff } from '../oasdiff.ts';

type Json = Record<string, unknown>;
const text = (more: Json = {}): Json => ({ type: 'string', maxLength: 10, ...more });
const taken = { name: text(), kind: { type: 'string', enum: ['A', 'B'] } };
const answered = { name: text(), next: { type: 'string' }, errorCode: { type: 'string', enum: ['A', 'B'] } };

/** A document of one operation, written by its parts. */
function documentOf(parts: {
  path?: string;
  query?: Json[];
  body?: Json;
  required?: string[];
  answer?: Json;
  always?: string[];
  responses?: Json;
  headers?: Json;
  security?: Json[];
  operation?: Json;
  more?: Json;
}): string {
  const json = (properties: Json, required: string[], closed: boolean): Json => ({
    'application/json': {
      schema: { type: 'object', properties, required, ...(closed && { additionalProperties: false }) },
    },
  });
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 500 } };
  const operation = {
    summary: 'Things',
    security: parts.security ?? [{ oauth: ['PSP_AI'] }],
    parameters: parts.query ?? [limit],
    requestBody: { required: true, content: json(parts.body ?? taken, parts.required ?? ['name'], true) },
    responses: parts.responses ?? {
      200: {
        description: 'Done.',
        headers: parts.headers ?? { Location: { schema: { type: 'string' } } },
        content: json(parts.answer ?? answered, parts.always ?? ['name'], false),
      },
      409: { description: 'No.' },
    },
    ...parts.operation,
  };
  const flow = { tokenUrl: '/token', scopes: { PSP_AI: 'reads', PSP_PI: 'pays' } };
  return JSON.stringify({
    openapi: '3.1.1',
    info: { title: 'Things', version: '1.0.0' },
    paths: { [parts.path ?? '/things']: { post: operation }, ...parts.more },
    components: { securitySchemes: { oauth: { type: 'oauth2', flows: { clientCredentials: flow } } } },
  });
}

const without = (members: Json, name: string): Json =>
  Object.fromEntries(Object.entries(members).filter(([member]) => member !== name));
const limit = (schema: Json, more: Json = {}): Json[] => [{ name: 'limit', in: 'query', schema, ...more }];

describeWith('a change of the OpenAPI documents (§9)', { missing: missingOasdiff() }, () => {
  const changes = (parts: Parameters<typeof documentOf>[0]): string[] =>
    breakingChanges(documentOf({}), documentOf(parts));

  it.each<[string, Parameters<typeof documentOf>[0]]>([
    ['a removed operation', { path: '/others' }],
    ['a removed member of an answer', { answer: without(answered, 'next') }],
    ['a member of another type', { answer: { ...answered, next: { type: 'number' } } }],
    ['a member that can be null', { answer: { ...answered, next: { type: ['string', 'null'] } } }],
    ['a member that can be missing', { always: [] }],
    ['a required member of a body', { required: ['name', 'kind'] }],
    ['a removed member of a closed body', { body: without(taken, 'kind') }],
    ['a shorter text', { body: { ...taken, name: text({ maxLength: 9 }) } }],
    ['a pattern', { body: { ...taken, name: text({ pattern: 'a' }) } }],
    ['a narrower list', { body: { ...taken, kind: { type: 'string', enum: ['A'] } } }],
    ['another type in a body', { body: { ...taken, name: { type: 'integer' } } }],
    ['a required parameter', { query: limit({ type: 'integer', maximum: 500 }, { required: true }) }],
    ['a removed parameter', { query: [] }],
    ['a narrower parameter', { query: limit({ type: 'integer', maximum: 100 }) }],
    ['a removed status', { responses: { 409: { description: 'No.' } } }],
    ['a removed errorCode', { answer: { ...answered, errorCode: { type: 'string', enum: ['A'] } } }],
    ['a removed header', { headers: {} }],
    ['another scope', { security: [{ oauth: ['PSP_PI'] }] }],
  ])('breaks callers by %s', (_what, parts) => {
    expect(changes(parts)).not.toEqual([]);
  });

  it.each<[string, Parameters<typeof documentOf>[0]]>([
    ['nothing', {}],
    ['a new operation', { more: { '/more': { get: { responses: { 200: { description: 'Done.' } } } } } }],
    ['a new member of an answer', { answer: { ...answered, more: { type: 'boolean' } } }],
    [
      'a new value in an answer',
      { answer: { ...answered, errorCode: { type: 'string', enum: ['A', 'B', 'C'] } } },
    ],
    ['a new optional member of a body', { body: { ...taken, other: { type: 'string' } } }],
    ['a longer text', { body: { ...taken, name: text({ maxLength: 20 }) } }],
    ['a member that need not be sent', { required: [] }],
    [
      'a new optional parameter',
      {
        query: [
          ...limit({ type: 'integer', maximum: 500 }),
          { name: 'more', in: 'query', schema: { type: 'string' } },
        ],
      },
    ],
    ['other words', { operation: { summary: 'Other', description: 'Words.' } }],
    ['a deprecation', { operation: { deprecated: true } }],
  ])('does not break callers by %s', (_what, parts) => {
    expect(changes(parts)).toEqual([]);
  });

  it('judges a webhook by what its receiver reads', () => {
    const header = { name: 'X-HMAC-Signature', in: 'header', required: true, schema: { type: 'string' } };
    const webhook = (properties: Json, parameters: Json[] = [header]): string => {
      const schema = { type: 'object', properties, required: Object.keys(properties) };
      const requestBody = { content: { 'application/json': { schema } } };
      const post = { parameters, requestBody, responses: { 200: { description: 'Received.' } } };
      return JSON.stringify({ ...JSON.parse(documentOf({})), webhooks: { 'Thing.CreatedV1': { post } } });
    };
    const before = webhook(taken);
    expect(breakingChanges(before, documentOf({}))).toHaveLength(1);
    expect(breakingChanges(before, webhook(without(taken, 'kind')))).toHaveLength(1);
    expect(breakingChanges(before, webhook({ ...taken, name: { type: 'number' } }))).toHaveLength(1);
    expect(breakingChanges(before, webhook(taken, []))).toHaveLength(1);
    expect(breakingChanges(before, webhook({ ...taken, more: { type: 'string' } }))).toEqual([]);
  });

  it('names the operation', () => {
    expect(changes({ query: [] })).toEqual([expect.stringMatching(/^POST \/things: .*limit/)]);
  });

  it('cannot be judged where a document is none', () => {
    expect(() => breakingChanges('no document', documentOf({}))).toThrow('oasdiff');
  });
});
