import { signBody, signingKey, standardHeaders } from './sign-body.model.ts';

const KEY = 'qWbRtYzUpLkJhGfDsAxCvNmEiOZXcBVQ';
const key = signingKey(Buffer.from(KEY, 'ascii'));
const body = Buffer.from('{"subscriptionId":"postings","data":{"name":"Æblegården €"}}');

describe('the signatures of a delivery (§5.8)', () => {
  it('X-HMAC-Signature is what openssl makes of the same bytes', () => {
    // printf %s "$body" | openssl dgst -sha256 -hmac "$key"
    expect(signBody(key, body)).toBe('feee9919662fd2e78ceaf3d99dd2fc4ae7c71348293e676666ffd0c233fd1861');
  });

  it('of Standard Webhooks are over id, seconds and body', () => {
    const eventId = '0a2f1e1c-3a3e-4b5f-9d3c-2f4e6a8b0c1d';
    const sentAt = new Date('2026-11-22T12:00:00.999Z');
    // printf %s "$id.$seconds.$body" | openssl dgst -sha256 -hmac "$key" -binary | base64
    expect(standardHeaders(key, { eventId, sentAt, body })).toEqual([
      'webhook-id',
      eventId,
      'webhook-timestamp',
      '1795348800',
      'webhook-signature',
      'v1,ufohSpH0dskT4jsFIZimc5PT+BD9EY+42UrpPUb1Xws=',
    ]);
  });
});
