import { randomUUID } from 'node:crypto';
import { type DeliveryStatus, type LoggedDelivery, pageOf } from './delivery-log.model.ts';

const deliveries = (count: number, status: DeliveryStatus = 'delivered'): LoggedDelivery[] =>
  Array.from({ length: count }, (_, i) => ({
    eventTime: new Date(Date.UTC(2026, 10, 22) - i),
    eventId: randomUUID(),
    eventType: 'Posting.CreatedV1',
    status,
    attempts: 1,
    nextAttemptAt: null,
  }));

describe('a page of the delivery log (§4.6)', () => {
  it('has the matching deliveries, and continues after the last examined one when the examination reached its limit', () => {
    const found = [...deliveries(2, 'exhausted'), ...deliveries(3)];
    const { eventTime, eventId } = found[4]!;
    const request = { status: 'exhausted', limit: 3 } as const;
    expect(pageOf(found, { request, most: 5 })).toEqual({
      deliveries: found.slice(0, 2),
      next: { eventTime, eventId },
    });
    expect(pageOf(found, { request, most: 6 }).next).toBeUndefined();
    expect(
      pageOf(found, { request: { eventType: 'Consent.RevokedV1', limit: 3 }, most: 6 }).deliveries,
    ).toEqual([]);
  });

  it('that is full at the end of the log has no next page', () => {
    const found = deliveries(3, 'exhausted');
    expect(pageOf(found, { request: { status: 'exhausted', limit: 3 }, most: 1_000 }).next).toBeUndefined();
    expect(pageOf(found, { request: { status: 'exhausted', limit: 3 }, most: 3 }).next).toBeDefined();
  });
});
