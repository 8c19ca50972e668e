import { randomUUID } from 'node:crypto';
import { readBasicCredentials } from './basic-credentials.wire.ts';
import { refusedCredentials } from './client-credentials.model.ts';

const clientId = randomUUID();
const basic = (text: string | Uint8Array): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('client_secret_basic (§4.1; RFC 6749 §2.3.1, RFC 7617)', () => {
  it.each([
    ['as it is', basic(`${clientId}:secret`), 'secret'],
    ['with a colon in the secret', basic(`${clientId}:a:b`), 'a:b'],
    ['form-encoded', basic(`${encodeURIComponent(clientId)}:a%3Ab+c%2B%C3%A6`), 'a:b c+æ'],
    ['in UTF-8', basic(`${clientId}:æøå`), 'æøå'],
    ['with the scheme in any case', basic(`${clientId}:secret`).replace('Basic', 'bAsIc'), 'secret'],
  ])('reads credentials %s', (_how, header, clientSecret) => {
    expect(readBasicCredentials(header)).toEqual({ clientId, clientSecret });
  });

  it.each([
    ['an empty one', ''],
    ['the scheme alone', 'Basic'],
    ['another scheme', 'Bearer abc'],
    ['two tokens', `${basic(`${clientId}:s`)} x`],
    ['what is no base64', 'Basic !!!!'],
    ['base64url', `Basic ${Buffer.from(`${clientId}:ÿÿÿ`).toString('base64url')}-_`],
    ['base64 with stray bits', 'Basic YTpiY9=='],
    ['invalid UTF-8', basic(Buffer.from([0x61, 0x3a, 0xff]))],
    ['no colon', basic(clientId)],
    ['a broken percent-encoding', basic(`${clientId}:%zz`)],
    ['invalid UTF-8 behind percent-encoding', basic(`${clientId}:%ff`)],
    ['more than a kilobyte', basic(`${clientId}:${'x'.repeat(2_000)}`)],
  ])('refuses %s as invalid_client', (_what, header) => {
    expect(() => readBasicCredentials(header)).toThrow(
      expect.objectContaining({ oauthError: 'invalid_client', status: 401 }),
    );
  });

  it.each([
    ['an id that is no UUID', basic('me:secret')],
    ['an empty secret', basic(`${clientId}:`)],
    ['an endless secret', basic(`${clientId}:${'x'.repeat(300)}`)],
  ])('refuses %s in the words for wrong credentials', (_what, header) => {
    expect(() => readBasicCredentials(header)).toThrow(refusedCredentials().message);
  });
});
