import { randomUUID } from 'node:crypto';
import { hmacOf } from './receiver.ts';
import { type Parts, publishTransfer, transferOf, webhookClient } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

let scene: Scene;
let parts: Parts;
beforeAll(async () => {
  scene = await openScene();
  ({ parts } = scene);
});
afterAll(() => scene.close());

const CREATED = 'Transfer.CreatedV1';
const CHANGED = 'Transfer.StatusChangedV1';
const PAYER = { roles: ['PSP_PI'] as const };

describe('Transfer.CreatedV1 and Transfer.StatusChangedV1 (§6)', () => {
  it('name the new payment and its later status, signed', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber(undefined, {
      ...PAYER,
      eventTypes: [CREATED, CHANGED],
    });
    const created = transferOf(tpp);
    const settled = { ...created, eventId: randomUUID(), status: 'COMPLETED' };
    await publishTransfer(parts.producer, CREATED, created);
    await publishTransfer(parts.producer, CHANGED, settled);
    // A repetition is known by its id.
    await publishTransfer(parts.producer, CHANGED, settled);
    const last = { ...created, eventId: randomUUID(), status: 'PENDING', draftId: '' };
    await publishTransfer(parts.producer, CREATED, last);
    await arrived(receiver, 3);
    const { paymentId, accountId, draftId } = created;
    const data = { paymentId, paymentType: 'domestic-credit-transfer', accountId };
    const bodies = new Map(receiver.received.map((webhook) => [webhook.body.idempotencyKey, webhook]));
    expect(bodies.get(created.eventId)!.body).toEqual({
      subscriptionId: subscription.id,
      idempotencyKey: created.eventId,
      eventTime: created.eventTime,
      eventType: CREATED,
      data: { ...data, status: 'PENDING', draftId },
    });
    expect(bodies.get(settled.eventId)!.body).toMatchObject({
      eventType: CHANGED,
      data: { ...data, status: 'COMPLETED', draftId },
    });
    expect(bodies.get(last.eventId)!.body.data).toEqual({ ...data, status: 'PENDING' });
    for (const webhook of receiver.received)
      expect(webhook.headers['x-hmac-signature']).toBe(hmacOf(webhook, subscription.subscriptionKey));
  });

  it.each([CREATED, CHANGED] as const)('%s needs the role PSP_PI', async (type) => {
    const reader = webhookClient(() => scene.service.origin, await parts.peers.addTpp({ roles: ['PSP_AI'] }));
    const asked = { callbackUrl: 'https://tpp.example/hook', eventTypes: [type] };
    expect(await reader.ask('POST', `/${randomUUID()}`, asked)).toMatchObject({
      status: 403,
      body: { details: [{ path: 'eventTypes.0', message: expect.stringContaining('PSP_PI') }] },
    });
  });
});
