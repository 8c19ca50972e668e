import { until } from '@kontoport/embedded/wait';
import { hmacOf } from './receiver.ts';
import { type Parts, postingFor, publish, publishRevoked, revokedConsentOf } from './running.ts';
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

  it('says which consent ended, for which accounts and when, signed', async () => {
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
    // Records of one client come in their order: what the first were to bring has come by then.
    await publishRevoked(parts.producer, revokedConsentOf(tpp, { accountIds: [] }));
    await arrived(receiver, 2);
    expect(receiver.received.map(({ body }) => body.data.accountIds)).toEqual([revoked.accountIds, []]);
  });

  it.each([['PSP_AI'], ['PSP_PI']] as const)('comes to a client with the role %s alone', async (role) => {
    const { tpp, receiver } = await scene.subscriber(undefined, { roles: [role], eventTypes: ofConsents });
    const revoked = revokedConsentOf(tpp);
    await publishRevoked(parts.producer, revoked);
    await arrived(receiver);
    expect(receiver.received[0]!.body.idempotencyKey).toBe(revoked.eventId);
  });

  it('comes to its client alone, and to subscriptions for its type alone', async () => {
    const both = [...ofConsents, 'Posting.CreatedV1'];
    const { tpp, receiver } = await scene.subscriber(undefined, { eventTypes: both });
    const other = await scene.subscriber(undefined, { eventTypes: both });
    const postings = await scene.subscriber();
    const unasked = revokedConsentOf(postings.tpp);
    await publishRevoked(parts.producer, unasked, revokedConsentOf(tpp));
    await arrived(receiver);
    await until(
      async () =>
        (await parts.pool.query('SELECT FROM event WHERE id = $1', [unasked.eventId])).rowCount === 1,
      { what: 'the event that nobody asked for' },
    );
    await publish(parts.producer, [postingFor([tpp, other.tpp, postings.tpp])]);
    await Promise.all([arrived(receiver, 2), arrived(other.receiver), arrived(postings.receiver)]);
    const types = ({ received }: typeof receiver) => received.map(({ body }) => body.eventType);
    expect(types(receiver)).toEqual(both);
    expect(types(other.receiver)).toEqual(['Posting.CreatedV1']);
    expect(types(postings.receiver)).toEqual(['Posting.CreatedV1']);
  });
});
