import type { EventToRecord } from './webhook-event.model.ts';

/** Deliveries that one statement is to make: more keep what comes after them waiting, and may take longer than a statement may. */
export const DELIVERIES_AT_ONCE = 5_000;
/** Deliveries that one turn is to make: the next one, and whoever is told of something in it, waits for all of them. */
export const DELIVERIES_OF_A_TURN = 10_000;

/** Beyond whatever a client gets in a turn. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Whose deliveries of a turn are made later: client id → the organization, or the client's own id. */
export type Deferred = ReadonlyMap<string, string>;

/** How many deliveries a turn would make for each of those to whom `keyOf` counts a client's. */
function loads(
  events: readonly EventToRecord[],
  subscriptions: ReadonlyMap<string, number>,
  keyOf: (clientId: string) => string,
): Map<string, number> {
  const load = new Map<string, number>();
  for (const { audience } of events)
    for (const client of audience) {
      const key = keyOf(client);
      load.set(key, (load.get(key) ?? 0) + (subscriptions.get(client) ?? 0));
    }
  return load;
}

/**
 * Whose deliveries are too many for a turn: of the organizations that get most of it as many as must be, all their clients
 * (ADR 114). Nobody's where all together are not too many.
 * @param subscriptions how many subscriptions a client has; one that is not named has none
 * @param organizationOf of a client; one without is on its own
 */
export function deferredOf(
  events: readonly EventToRecord[],
  {
    subscriptions,
    organizationOf,
  }: { subscriptions: ReadonlyMap<string, number>; organizationOf: (clientId: string) => string | undefined },
): Deferred {
  const keyOf = (clientId: string): string => organizationOf(clientId) ?? clientId;
  const deferred = new Map<string, string>();
  const heavy = new Set<string>();
  let made = 0;
  for (const [key, load] of [...loads(events, subscriptions, keyOf)].toSorted(
    (one, other) => one[1] - other[1],
  )) {
    made += load;
    if (made > DELIVERIES_OF_A_TURN) heavy.add(key);
  }
  for (const client of heavy.size > 0 ? subscriptions.keys() : [])
    if (heavy.has(keyOf(client))) deferred.set(client, keyOf(client));
  return deferred;
}

/**
 * The events of one turn in parts, each for a statement of its own that makes at most `DELIVERIES_AT_ONCE` deliveries, and
 * at least one event. Those of clients that get little in this turn come first: who gets much keeps nobody else waiting
 * (ADR 24). Those of whom deliveries are deferred come last.
 * @param subscriptions how many subscriptions a client has; one that is not named has none
 * @param most events of a part
 */
export function partsOf(
  events: readonly EventToRecord[],
  {
    subscriptions,
    deferred,
    most,
  }: { subscriptions: ReadonlyMap<string, number>; deferred: Deferred; most: number },
): EventToRecord[][] {
  const load = loads(events, subscriptions, (client) => client);
  const weigh = (event: EventToRecord): { event: EventToRecord; weight: number; deliveries: number } => ({
    event,
    weight: Math.max(0, ...event.audience.map((client) => (deferred.has(client) ? LAST : load.get(client)!))),
    deliveries: event.audience
      .filter((client) => !deferred.has(client))
      .reduce((sum, client) => sum + (subscriptions.get(client) ?? 0), 0),
  });
  const parts: EventToRecord[][] = [];
  let room = 0;
  const inOrder = events.map(weigh).toSorted((one, other) => one.weight - other.weight);
  for (const [at, { event, weight, deliveries }] of inOrder.entries()) {
    const part = parts.at(-1);
    const beginsTheLast = weight === LAST && inOrder[at - 1]?.weight !== LAST;
    if (part === undefined || part.length >= most || deliveries > room || beginsTheLast) {
      parts.push([event]);
      room = DELIVERIES_AT_ONCE - deliveries;
    } else {
      part.push(event);
      room -= deliveries;
    }
  }
  return parts;
}
