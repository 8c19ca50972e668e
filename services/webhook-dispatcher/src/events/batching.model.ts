import type { EventToRecord } from '../event-types/webhook-event.model.ts';
import { MAX_SUBSCRIPTIONS } from '../subscriptions/subscription.model.ts';

/** Deliveries that one poll makes at once, about half a second of work: the next poll waits for all of them. */
export const DELIVERIES_PER_POLL = 5_000;

/**
 * Returns whether the events of a poll may make too many deliveries. If not, the subscriptions need not be counted.
 * @param clients the clients of all events, counted once for each event
 */
export const mayExceedPoll = (clients: number): boolean =>
  clients * MAX_SUBSCRIPTIONS.live > DELIVERIES_PER_POLL;

/** The clients whose deliveries of a poll are made later, by id. */
export type DeferredClients = ReadonlyMap<
  string,
  {
    /** The client's, or its own id. */
    organization: string;
    /** Maximum number that an event creates for it. */
    deliveries: number;
  }
>;

/**
 * Chooses the clients whose deliveries are made later: as many as necessary of the organizations that get most, with all their clients
 * (ADR-0034). Empty if all together are few enough.
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
 * Splits the events of a poll into batches, one for each statement. Events of which all deliveries are made come first, so that
 * clients that get few do not wait for deferred ones.
 * @param most events of a batch
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
