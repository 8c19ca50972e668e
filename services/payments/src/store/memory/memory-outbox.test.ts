import { randomUUID } from 'node:crypto';
import { type OutboxEvent, outboxEvent, type OutgoingRecord } from '@kontoport/events';
import { MemoryOutbox } from './memory-outbox.ts';

const event = (): OutboxEvent =>
  outboxEvent('Transfer.CreatedV1', {
    eventId: randomUUID(),
    eventTime: '2026-11-21T12:00:00.000Z',
    audience: [],
    paymentId: randomUUID(),
    accountId: 'account',
    paymentType: 'domestic-credit-transfer',
    status: 'PENDING',
    draftId: '',
  });
const ids = (events: readonly OutboxEvent[]): string[] => events.map(({ eventId }) => eventId);

/** A broker that stores the records, unless it is unavailable. */
function testBroker() {
  const sent: string[] = [];
  const broker = {
    sent,
    away: false,
    duringSend: () => {},
    async send(records: readonly OutgoingRecord[]) {
      broker.duringSend();
      if (broker.away) throw new Error('away');
      sent.push(...records.map(({ headers }) => String(headers.ce_id)));
    },
  };
  return broker;
}

describe('the outbox of the sandbox (§6, §Sandbox)', () => {
  it('sends at most 500 at a time', async () => {
    const [outbox, broker] = [new MemoryOutbox({ limit: 1_000 }), testBroker()];
    outbox.add(
      'one',
      Array.from({ length: 501 }, () => event()),
    );
    expect([await outbox.publish(broker), await outbox.publish(broker)]).toEqual([500, 1]);
  });

  it('is bounded: the organization with the most events loses its oldest', async () => {
    const [outbox, broker] = [new MemoryOutbox({ limit: 4 }), testBroker()];
    const few = [event()];
    const many = Array.from({ length: 6 }, () => event());
    outbox.add('few', few);
    outbox.add('many', many);
    expect(outbox.size).toBe(4);
    expect([outbox.resetDropped(), outbox.resetDropped()]).toEqual([3, 0]);
    await outbox.publish(broker);
    expect(broker.sent).toEqual(ids([...few, ...many.slice(3)]));
  });

  it('loses no other event when one is dropped during its send', async () => {
    const [outbox, broker] = [new MemoryOutbox({ limit: 2 }), testBroker()];
    const events = [event(), event(), event()];
    outbox.add('one', events.slice(0, 2));
    broker.duringSend = () => {
      broker.duringSend = () => {};
      outbox.add('one', events.slice(2));
    };
    await outbox.publish(broker);
    expect(outbox.size).toBe(1);
    await outbox.publish(broker);
    expect(broker.sent).toEqual(ids(events));
    expect(outbox.size).toBe(0);
  });
});
