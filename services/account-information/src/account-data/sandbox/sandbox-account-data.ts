import { ApiError } from '@kontoport/errors';
import { ConcurrencyLimiter } from '@kontoport/fairness';
import type { AccountData, Present } from '../../accounts/account.model.ts';
import type { Db } from '../../gen/db.ts';
import {
  deleteOwnAccounts,
  findLiveMembers,
  joinBank,
  lockBank,
  lockClient,
} from '../../sandbox/sandbox-bank.repository.ts';
import { TEXTS } from '../../texts.ts';
import { grantConsents, insertBank, startOver, TRANSACTION_LIMITS_MS } from './bank.ts';
import { type Member, sandboxData } from './sandbox-data.ts';

const MAX_REMEMBERED = 10_000;

interface Options {
  db: Db;
  /** Maximum number of concurrent first uses. */
  firstUsesInFlight: number;
  /** The organizationIdentifier of a client. @throws ApiError UNAVAILABLE when the client is not known yet */
  organizationOf: (clientId: string) => string;
  isDeleted: (clientId: string) => boolean;
}

/**
 * Simulated users (§Sandbox): each organization has one simulated bank, which its clients share. A client joins it on
 * first use, and the first client of an organization creates it. Membership ends with the client, so a client is looked up
 * only once. First uses beyond the limit are UNAVAILABLE at once.
 */
export function createSandboxAccountData(options: Options): AccountData {
  const { db, firstUsesInFlight, organizationOf } = options;
  // Each first use holds a database connection. Other requests need connections, too.
  const limiter = new ConcurrencyLimiter({
    max: firstUsesInFlight,
    maxPerKey: Math.ceil(firstUsesInFlight / 2),
    refusal: () => new ApiError('UNAVAILABLE', TEXTS('first-uses-busy')),
  });
  /** Members, and clients whose lookup is in progress. */
  const ensured = new Map<string, Promise<void> | 'member'>();

  const lookUp = async (clientId: string): Promise<void> => {
    if (await isMember(db, clientId)) return;
    const organization = organizationOf(clientId);
    await limiter.run(organization, () => join(options, { clientId, organization }));
  };

  const ensure = (clientId: string): Promise<void> | 'member' => {
    const known = ensured.get(clientId);
    if (known !== undefined) return known;
    if (ensured.size >= MAX_REMEMBERED) ensured.delete(ensured.keys().next().value!);
    const lookingUp = lookUp(clientId);
    ensured.set(clientId, lookingUp);
    lookingUp.then(
      () => ensured.has(clientId) && ensured.set(clientId, 'member'),
      () => ensured.delete(clientId),
    );
    return lookingUp;
  };

  return {
    ensure<Who extends { clientId: string }>(who: Who) {
      const membership = ensure(who.clientId);
      return membership === 'member' ? (who as Present<Who>) : membership.then(() => who as Present<Who>);
    },
  };
}

/** Whether the client is a member of its bank, or was deleted and joins none. */
async function isMember(db: Db, clientId: string): Promise<boolean> {
  const client = await db.prisma.sandboxClient.findUnique({ where: { clientId } });
  return client !== null && (client.organization !== null || client.deletedAt !== null);
}

/** Joins in one database transaction, so that a bank exists as a whole or not at all. */
async function join({ db, isDeleted }: Pick<Options, 'db' | 'isDeleted'>, member: Member): Promise<void> {
  const { clientId, organization } = member;
  await db.prisma.$transaction(async (tx) => {
    // Of two first uses of a client, the second waits here for the first and then finds the data.
    const client = await lockClient(tx, clientId);
    if (client === undefined) return;
    const bank = await lockBank(tx, organization);
    // All previous clients are deleted: a new registration gets the bank in its initial state.
    const isAbandoned = !bank.isNew && (await findLiveMembers(tx, organization)).every(isDeleted);
    if (isAbandoned) await startOver(tx, organization);
    else if (bank.isNew) await insertBank(tx, sandboxData(organization, new Date()));
    if (!client.isNew) await deleteOwnAccounts(tx, clientId);
    await grantConsents(tx, member);
    await joinBank(tx, member);
  }, TRANSACTION_LIMITS_MS);
}
