import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { announcesBreak, compare } from '../breaking.ts';
import { git } from '../git.ts';
import { missingOasdiff } from '../oasdiff.ts';

const PROTO = 'proto/kontoport/a/v1/a.proto';
const OPENAPI = 'proto/openapi/account-and-payment.json';
const contract = (fields: string): string =>
  `syntax = "proto3";\npackage kontoport.a.v1;\nmessage A {\n${fields}\n}\n`;
const asyncapi = (type: string): string => `components:
  messages:
    thing: { name: Thing.ChangedV1, payload: { $ref: '#/components/schemas/thing' } }
  schemas:
    thing: { type: object, properties: { a: { type: ${type} } } }
`;

type Json = Record<string, unknown>;
const text = (more: Json = {}): Json => ({ type: 'string', maxLength: 10, ...more });
const members = { name: text(), kind: { type: 'string', enum: ['A', 'B'] } };
const object = (properties: Json, more: Json = {}): Json => ({
  'application/json': { schema: { type: 'object', properties, required: ['name'], ...more } },
});

/** A document of one operation and one webhook, written by its parts. */
function openapi(parts: {
  version?: string;
  query?: Json[];
  body?: Json;
  answer?: Json;
  responses?: Json;
  headers?: Json;
  webhook?: Json;
}): string {
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 500 } };
  const done = {
    description: 'Done.',
    headers: parts.headers ?? { Location: { schema: { type: 'string' } } },
    content: object(parts.answer ?? members),
  };
  const operation = {
    parameters: parts.query ?? [limit],
    requestBody: { required: true, content: object(parts.body ?? members, { additionalProperties: false }) },
    responses: parts.responses ?? { 200: done, 409: { description: 'No.' } },
  };
  const post = {
    parameters: [],
    requestBody: { content: object(parts.webhook ?? members) },
    responses: { 200: { description: 'Received.' } },
  };
  return JSON.stringify({
    openapi: '3.1.1',
    info: { title: 'Things', version: parts.version ?? '0.3.0' },
    paths: { '/things': { post: operation } },
    webhooks: { 'Thing.CreatedV1': { post } },
  });
}

let root: string;
const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const commit = (): void => {
  git(root, 'add', '--all');
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@bank.example', '-c', 'commit.gpgsign=false'];
  git(root, ...who, 'commit', '--quiet', '--message=one');
};
const changes = (): string[] => compare(root).changes;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport-breaking-'));
  write('proto/buf.yaml', readFileSync(join(import.meta.dirname, '../../../proto/buf.yaml'), 'utf8'));
  write(PROTO, contract('  string one = 1;\n  string two = 2;'));
  write('proto/asyncapi.yaml', asyncapi('string'));
  write(OPENAPI, openapi({}));
  write('CHANGELOG.md', '- `Thing.CreatedV1` and `Thing.ChangedV1` are new.\n');
  git(root, 'init', '--quiet', '--initial-branch=main');
  commit();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('npm run breaking (§9)', () => {
  it('compares with origin/main, else with main, and names it', () => {
    const revision = git(root, 'rev-parse', '--short', 'HEAD').trim();
    expect(compare(root)).toMatchObject({
      message: expect.stringContaining(`Compared with main (${revision}).`) as string,
    });
    git(root, 'update-ref', 'refs/remotes/origin/main', 'main');
    expect(compare(root).message).toContain(`Compared with origin/main (${revision}).`);
    git(root, 'update-ref', '-d', 'refs/remotes/origin/main');
    git(root, 'branch', '--move', 'feature');
    expect(compare(root)).toEqual({
      message: 'Compared with nothing: the clone has neither origin/main nor main.',
      changes: [],
    });
    expect(() => compare(root, 'elsewhere')).toThrow('elsewhere');
  });

  it('fails on a field that is gone from a protobuf contract, and names file and line', () => {
    write(PROTO, contract('  string one = 1;\n  string two = 2;\n  string three = 3;'));
    expect(changes()).toEqual([]);
    write(PROTO, contract('  string one = 1;'));
    expect(changes()).toEqual([
      expect.stringMatching(/^proto\/kontoport\/a\/v1\/a\.proto:3:1:.*"2".*deleted/),
    ]);
  });

  it('requires a new line of the changelog for each changed webhook and event', () => {
    write(OPENAPI, openapi({ webhook: { ...members, more: text() } }));
    write('proto/asyncapi.yaml', asyncapi('number'));
    const [webhook, event] = [
      `${OPENAPI}: the webhook Thing.CreatedV1 changed, and no new line of CHANGELOG.md names it`,
      'proto/asyncapi.yaml: the event Thing.ChangedV1 changed, and no new line of CHANGELOG.md names it',
    ];
    expect(changes()).toEqual([webhook, event]);
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    write('CHANGELOG.md', `- \`Thing.CreatedV1\` has more.\n${changelog}`);
    expect(changes()).toEqual([event]);
  });

  it.each([
    ['0.3.0', '0.3.1', false],
    ['0.3.0', '0.4.0', true],
    ['0.3.0', '0.2.0', false],
    ['1.2.3', '1.3.0', false],
    ['1.2.3', '2.0.0', true],
    ['0.0.1', '0.0.2', true],
  ])('reads a break in the version %s → %s: %s', (old, now, announced) => {
    expect(announcesBreak(old, now)).toBe(announced);
  });
});

describeWith('a change of the OpenAPI documents (§9.4)', { missing: missingOasdiff() }, () => {
  const without = (name: string): Json =>
    Object.fromEntries(Object.entries(members).filter(([member]) => member !== name));
  const kinds = (...values: string[]): Json => ({ ...members, kind: { type: 'string', enum: values } });

  // One change for each row of oasdiff-severities.txt, beside those that oasdiff knows by itself.
  it.each<[string, Parameters<typeof openapi>[0]]>([
    ['a removed header', { headers: {} }],
    ['a pattern in a body', { body: { ...members, name: text({ pattern: 'a' }) } }],
    ['a removed parameter', { query: [] }],
    ['a removed member of a body', { body: without('kind') }],
    ['a removed status', { responses: { 409: { description: 'No.' } } }],
    ['a removed member of an answer', { answer: without('kind') }],
    ['a removed value of an answer', { answer: kinds('A') }],
    ['a removed member of a webhook', { webhook: without('kind') }],
  ])('breaks callers by %s', (_what, parts) => {
    write('CHANGELOG.md', '- `Thing.CreatedV1` changed.\n');
    write(OPENAPI, openapi(parts));
    expect(changes().filter((change) => change.startsWith(`${OPENAPI} (0.3.0) `))).not.toEqual([]);
    write(OPENAPI, openapi({ ...parts, version: '0.4.0' }));
    expect(changes()).toEqual([]);
  });

  it.each<[string, Parameters<typeof openapi>[0]]>([
    ['a new value of an answer', { answer: kinds('A', 'B', 'C') }],
    ['a new optional member of a body', { body: { ...members, more: text() } }],
    ['a new member of a webhook', { webhook: { ...members, more: text() } }],
  ])('does not break callers by %s', (_what, parts) => {
    write('CHANGELOG.md', '- `Thing.CreatedV1` changed.\n');
    write(OPENAPI, openapi(parts));
    expect(changes()).toEqual([]);
  });
});
