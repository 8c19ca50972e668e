import type { EventToRecord } from './webhook-event.model.ts';

/** Deliveries that one statement is to make: more keep what comes after them waiting, and may take longer than a statement may. */
export const DELIVERIES_AT_ONCE = 5_000;

/**
 * The events of one turn in parts, each for a statement of its own that makes at most `DELIVERIES_AT_ONCE` deliveries, and
 * at least one event. Those of clients that get little in this turn come first: who gets much keeps nobody else waiting (ADR 24).
 * @param subscriptions how many subscriptions a client has; one that is not named has none
 * @param most events of a part
 */
export function partsOf(
  events: readonly EventToRecord[],
  { subscriptions, most }: { subscriptions: ReadonlyMap<string, number>; most: number },
): EventToRecord[][] {
  const load = new Map<string, number>();
  for (const { audience } of events)
    for (const client of audience)
      load.set(client, (load.get(client) ?? 0) + (subscriptions.get(client) ?? 0));
  const heaviest = ({ audience }: EventToRecord): number =>
    Math.max(0, ...audience.map((client) => load.get(client)!));
  const parts: EventToRecord[][] = [];
  let room = 0;
  for (const event of events.toSorted((a, b) => heaviest(a) - heaviest(b))) {
    const deliveries = event.audience.reduce((sum, client) => sum + (subscriptions.get(client) ?? 0), 0);
    const part = parts.at(-1);
    if (part === undefined || part.length >= most || deliveries > room) {
      parts.push([event]);
      room = DELIVERIES_AT_ONCE - deliveries;
    } else {
      part.push(event);
      room -= deliveries;
    }
  }
  return parts;
}
