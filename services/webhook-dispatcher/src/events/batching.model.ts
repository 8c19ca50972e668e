import type { EventToRecord } from '../event-types/webhook-event.model.ts';
import { MAX_SUBSCRIPTIONS } from '../subscriptions/subscription.model.ts';

/**
 * Deliveries that one turn is to make, half a second's worth: the next one, and whoever is told of something in it, waits for
 * all of them.
 */
export const DELIVERIES_PER_POLL = 5_000;

/**
 * Whether the events of a turn may make too many, by what clients may have: else nobody need be asked what they have.
 * @param told clients of all of them together, each counted as often as it is told of one
 */
export const mayExceedPoll = (told: number): boolean => told * MAX_SUBSCRIPTIONS.live > DELIVERIES_PER_POLL;

/** Whose deliveries of a turn are made later, by client id. */
export type DeferredClients = ReadonlyMap<
  string,
  {
    /** The client's, or its own id. */
    organization: string;
    /** How many an event makes for it at most. */
    deliveries: number;
  }
>;

/**
 * Whose deliveries are too many for a turn: of the organizations that get most of it as many as must be, all their clients
 * (ADR-0034). Nobody's where all together are not too many.
 * @param subscriptions how many subscriptions a client has; one that is not named has none
 * @param organizationOf of a client; one without is on its own
 */
export function clientsToDefer(
  events: readonly EventToRecord[],
  {
    subscriptions,
    organizationOf,
  }: { subscriptions: ReadonlyMap<string, number>; organizationOf: (clientId: string) => string | undefined },
): DeferredClients {
  const keyOf = (clientId: string): string => organizationOf(clientId) ?? clientId;
  const loads = new Map<string, number>();
  for (const client of events.flatMap(({ audience }) => audience))
    loads.set(keyOf(client), (loads.get(keyOf(client)) ?? 0) + (subscriptions.get(client) ?? 0));
  const heavy = new Set<string>();
  let made = 0;
  for (const [key, load] of [...loads].toSorted((one, other) => one[1] - other[1])) {
    made += load;
    if (made > DELIVERIES_PER_POLL) heavy.add(key);
  }
  return new Map(
    [...subscriptions]
      .map(([client, deliveries]) => [client, { organization: keyOf(client), deliveries }] as const)
      .filter(([, { organization }]) => heavy.has(organization)),
  );
}

/**
 * The events of one turn in parts, each for a statement of its own: those first of which all deliveries are made, so that who gets
 * little does not wait for what is deferred.
 * @param most events of a part
 */
export function splitIntoBatches(
  events: readonly EventToRecord[],
  { deferred, most }: { deferred: DeferredClients; most: number },
): EventToRecord[][] {
  const isDeferred = ({ audience }: EventToRecord): boolean =>
    audience.some((client) => deferred.has(client));
  return [events.filter((event) => !isDeferred(event)), events.filter(isDeferred)].flatMap((part) =>
    Array.from({ length: Math.ceil(part.length / most) }, (_, at) => part.slice(at * most, (at + 1) * most)),
  );
}
