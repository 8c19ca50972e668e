import { createHmac } from 'node:crypto';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

const KEY = 'abcdefghijklmnopqrstuvwxyzABCDEF';
const OTHER_KEY = 'zyxwvutsrqponmlkjihgfedcbaZYXWVU';
const NOW = Date.UTC(2026, 10, 27);
const BODY = Buffer.from('{"eventType":"Webhook.TestV1","note":"Rød grød"}');
const ID = '0a2f1e1c-3a3e-4b5f-9d3c-2f4e6a8b0c1d';
const TIME = String(NOW / 1_000);

const sign = (key: string, body: Uint8Array = BODY, id = ID, time = TIME): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')}`;
const headers = (more: object = {}): Record<string, string> => ({
  'webhook-id': ID,
  'webhook-timestamp': TIME,
  'webhook-signature': sign(KEY),
  ...more,
});

describe('verifyWebhook', () => {
  it.each<[what: string, keys: string | string[], sent: Record<string, string> | Headers]>([
    ['the headers of Node.js', KEY, headers()],
    ['the headers of fetch', KEY, new Headers(headers())],
    ['one of two keys', [OTHER_KEY, KEY], headers()],
    ['one of two signatures', KEY, headers({ 'webhook-signature': `${sign(OTHER_KEY)} ${sign(KEY)}` })],
    [
      'a signature of an unknown version beside it',
      KEY,
      headers({ 'webhook-signature': `v2,abc ${sign(KEY)}` }),
    ],
    [
      'a time just within the tolerance',
      KEY,
      headers({
        'webhook-timestamp': String(NOW / 1_000 + 300),
        'webhook-signature': sign(KEY, BODY, ID, String(NOW / 1_000 + 300)),
      }),
    ],
  ])('accepts %s', (_what, keys, sent) => {
    expect(verifyWebhook(keys, sent, BODY, { now: NOW })).toEqual(JSON.parse(BODY.toString()));
  });

  const late = String(NOW / 1_000 - 301);
  const early = String(NOW / 1_000 + 301);
  it.each<[what: string, sent: Record<string, unknown>, body?: Uint8Array, keys?: string | string[]]>([
    ['characters after the signature', headers({ 'webhook-signature': `${sign(KEY)}garbage` })],
    ['characters after the end of its base64', headers({ 'webhook-signature': `${sign(KEY)}=` })],
    ['a shorter signature', headers({ 'webhook-signature': sign(KEY).slice(0, -1) })],
    ['a signature without its version', headers({ 'webhook-signature': sign(KEY).slice(3) })],
    ['a signature of another key', headers({ 'webhook-signature': sign(OTHER_KEY) })],
    ['more than ten signatures', headers({ 'webhook-signature': Array(11).fill(sign(KEY)).join(' ') })],
    ['a changed body', headers(), Buffer.concat([BODY, Buffer.from(' ')])],
    ['another id', headers({ 'webhook-id': 'another' })],
    ['another time', headers({ 'webhook-timestamp': String(NOW / 1_000 + 1) })],
    [
      'an old attempt',
      headers({ 'webhook-timestamp': late, 'webhook-signature': sign(KEY, BODY, ID, late) }),
    ],
    [
      'an early attempt',
      headers({ 'webhook-timestamp': early, 'webhook-signature': sign(KEY, BODY, ID, early) }),
    ],
    ['a time with letters', headers({ 'webhook-timestamp': `${TIME}x` })],
    ['an id with a dot', headers({ 'webhook-id': 'a.b', 'webhook-signature': sign(KEY, BODY, 'a.b') })],
    ['a missing signature', headers({ 'webhook-signature': undefined })],
    ['a repeated header', { ...headers(), 'webhook-signature': [sign(KEY), sign(KEY)] }],
    ['no key', headers(), BODY, []],
    ['an empty key', headers({ 'webhook-signature': sign('') }), BODY, ''],
  ])('refuses %s', (_what, sent, body = BODY, keys = KEY) => {
    expect(() => verifyWebhook(keys, sent as Record<string, string>, body, { now: NOW })).toThrow(
      WebhookVerificationError,
    );
  });
});
