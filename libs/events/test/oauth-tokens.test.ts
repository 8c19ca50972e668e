import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { oauthTokens } from '../src/oauth-tokens.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let answer: Answer;
let asked = 0;
const server = createServer((request, response) => {
  asked++;
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => answer(request, response, body));
});
let url: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
});
afterAll(() => void server.close());
beforeEach(() => {
  asked = 0;
});

const gives =
  (token: string, expiresIn?: number): Answer =>
  (_request, response) =>
    response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: expiresIn }));
const client = (now?: () => number) => ({
  url,
  clientId: 'account information',
  clientSecret: () => 'a:b+c',
  ...(now === undefined ? {} : { now }),
});

describe('access tokens for Kafka', () => {
  it('are requested with client credentials and scope', async () => {
    let seen: unknown;
    answer = ({ method, headers }, response, body) => {
      seen = { method, authorization: headers.authorization, body };
      gives('token')({} as IncomingMessage, response, '');
    };
    expect(await oauthTokens({ ...client(), scope: 'kafka write' })()).toBe('token');
    expect(seen).toEqual({
      method: 'POST',
      authorization: `Basic ${Buffer.from('account+information:a%3Ab%2Bc').toString('base64')}`,
      body: 'grant_type=client_credentials&scope=kafka+write',
    });
  });

  it('are used for four fifths of their lifetime, and requested once by concurrent callers', async () => {
    let time = 0;
    const token = oauthTokens(client(() => time));
    answer = gives('first', 100);
    expect(await Promise.all([token(), token(), token()])).toEqual(['first', 'first', 'first']);
    answer = gives('second', 100);
    time = 79_999;
    expect(await token()).toBe('first');
    expect(asked).toBe(1);
    time = 80_000;
    expect(await Promise.all([token(), token()])).toEqual(['second', 'second']);
    expect(asked).toBe(2);
  });

  it('are not used in their last ten seconds', async () => {
    let time = 0;
    const token = oauthTokens(client(() => time));
    answer = gives('first', 20);
    await token();
    answer = gives('second', 20);
    time = 9_999;
    expect(await token()).toBe('first');
    time = 10_000;
    expect(await token()).toBe('second');
  });

  it('live five minutes without a lifetime in the answer', async () => {
    let time = 0;
    const token = oauthTokens(client(() => time));
    answer = gives('first');
    await token();
    answer = gives('second');
    time = 239_999;
    expect(await token()).toBe('first');
    time = 240_000;
    expect(await token()).toBe('second');
  });

  it.each<[string, Answer, RegExp]>([
    ['refuses', (_request, response) => response.writeHead(401).end('{"secret":1}'), /answers 401$/],
    ['answers no JSON', (_request, response) => response.end('secret'), /no access token$/],
    ['answers no token', (_request, response) => response.end('{"access_token":""}'), /no access token$/],
    ['answers without end', (_request, response) => response.end('x'.repeat(70_000)), /too much$/],
    [
      'leads elsewhere',
      (_request, response) => response.writeHead(302, { Location: '/secret' }).end(),
      /fetch failed/,
    ],
  ])(
    'fail without the content of the answer when the endpoint %s, and are requested again',
    async (_what, bad, words) => {
      const token = oauthTokens(client());
      answer = bad;
      const failure = await token().then(
        () => new Error('no failure'),
        (error: unknown) => error as Error,
      );
      expect(failure.message).toMatch(words);
      expect(failure.message).not.toContain('secret');
      answer = gives('then');
      expect(await token()).toBe('then');
    },
  );
});
