import { hmacOf } from './receiver.ts';
import { type Parts, publishRevoked, revokedConsentOf } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

let scene: Scene;
let parts: Parts;
beforeAll(async () => {
  scene = await openScene();
  ({ parts } = scene);
});
afterAll(() => scene.close());

describe('Consent.RevokedV1 (§5.9, §6)', () => {
  const ofConsents = ['Consent.RevokedV1'];

  it('names the consent, its accounts and the time, signed', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber(undefined, { eventTypes: ofConsents });
    const revoked = revokedConsentOf(tpp);
    await publishRevoked(parts.producer, revoked, revoked);
    await arrived(receiver);
    const webhook = receiver.received[0]!;
    expect(webhook.body).toEqual({
      subscriptionId: subscription.id,
      idempotencyKey: revoked.eventId,
      eventTime: revoked.eventTime,
      eventType: 'Consent.RevokedV1',
      data: {
        consentId: revoked.consentId,
        accountIds: revoked.accountIds,
        revokedAt: revoked.revokedAt,
      },
    });
    expect(webhook.headers['x-hmac-signature']).toBe(hmacOf(webhook, subscription.subscriptionKey));
    // Records of one client are processed in order: webhooks of the first ones have arrived by then.
    await publishRevoked(parts.producer, revokedConsentOf(tpp, { accountIds: [] }));
    await arrived(receiver, 2);
    expect(receiver.received.map(({ body }) => body.data.accountIds)).toEqual([revoked.accountIds, []]);
  });
});
