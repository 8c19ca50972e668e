import { createHash } from 'node:crypto';
import type { Prisma } from '../../gen/prisma/client.ts';
import { HISTORIES } from './histories.ts';
import { playBulk, playHistory } from './history.ts';
import { receipt } from './receipt.ts';
import { SANDBOX_IDS } from './sandbox-ids.ts';
import { SANDBOX_USERS, type SandboxAccount } from './users.ts';

/** A simulated bank, as rows. */
export interface SandboxData {
  accounts: Prisma.AccountCreateManyInput[];
  jointOwners: Prisma.JointOwnerCreateManyInput[];
  transactions: Prisma.TransactionCreateManyInput[];
  owned: Prisma.SandboxAccountCreateManyInput[];
  due: Prisma.SandboxDueCreateManyInput[];
  attachments: Prisma.AttachmentCreateManyInput[];
  bulks: BulkTransactions[];
}

/** Posted transactions of an account at regular intervals, the newest first. */
export interface BulkTransactions {
  accountId: string;
  currency: string;
  title: string;
  type: string;
  ids: string[];
  /** Used in turn. */
  amounts: readonly bigint[];
  newest: Date;
  everyMs: number;
  /** After the newest. */
  balance: bigint;
}

/**
 * Builds the simulated bank of an organization. Ids follow from the organization and from the names in the tables
 * (`SANDBOX_IDS`), the history ends at `now`, and everything else is fixed.
 */
export function sandboxData(organization: string, now: Date): SandboxData {
  const data: SandboxData = {
    accounts: [],
    jointOwners: [],
    transactions: [],
    owned: [],
    due: [],
    attachments: [],
    bulks: [],
  };
  for (const user of SANDBOX_USERS) {
    const userId = SANDBOX_IDS.user(organization, user.key);
    for (const key of user.jointAccounts ?? [])
      data.jointOwners.push({ accountId: SANDBOX_IDS.account(organization, key), userId });
    for (const account of user.accounts) {
      const id = SANDBOX_IDS.account(organization, account.key);
      const { currency, openingBalance } = account;
      const history = HISTORIES[account.key]!;
      const { transactions, ...played } = playHistory(history, { currency, openingBalance, now });
      const bulk = history.bulk && playBulk(history.bulk, { openingBalance, now });
      if (history.bulk !== undefined && bulk !== undefined) {
        const { key, title, type, amounts, rhythm } = history.bulk;
        const ids = Array.from({ length: rhythm[0] }, (_, index) =>
          SANDBOX_IDS.transaction(organization, account.key, `${key}-${index + 1}`),
        );
        const { state, ...times } = bulk;
        data.bulks.push({
          accountId: id,
          currency,
          title,
          type,
          ids,
          amounts,
          ...times,
          balance: state.balance,
        });
      }
      const state = bulk?.state ?? played;
      data.accounts.push({
        ...accountRow(account),
        ...state,
        openingBalance,
        id,
        userId,
        ownerName: user.ownerName ?? null,
        position: data.accounts.length,
      });
      data.owned.push({ accountId: id, organization });
      for (const { key, original, details, ends, ...transaction } of transactions) {
        const transactionId = SANDBOX_IDS.transaction(organization, account.key, key);
        if (ends !== undefined)
          data.due.push({ transactionId, accountId: id, organization, ...ends, dueAt: ends.endsAt });
        const attachmentIds = (details.attachmentIds ?? []).map((name) =>
          SANDBOX_IDS.attachment(organization, name),
        );
        data.attachments.push(
          ...attachmentIds.map((attachmentId) => receiptRow(attachmentId, transactionId)),
        );
        data.transactions.push({
          ...transaction,
          id: transactionId,
          accountId: id,
          transactionAmount: original?.amount ?? null,
          transactionCurrency: original?.currency ?? null,
          // The histories name an attachment; the row has its id.
          details: attachmentIds.length === 0 ? details : { ...details, attachmentIds },
        });
      }
    }
  }
  return data;
}

/**
 * The consents that the sandbox grants to a client by itself: for all accounts of each user and for both roles, unless the
 * user refuses consents.
 */
export function sandboxConsents({ clientId, organization }: Member, now: Date) {
  const consenting = SANDBOX_USERS.filter(({ refusesConsent }) => !refusesConsent);
  const consents = consenting.map(({ key }) => ({
    id: SANDBOX_IDS.consent(clientId, key),
    clientId,
    userId: SANDBOX_IDS.user(organization, key),
    roles: ['PSP_AI', 'PSP_PI'],
    grantedAt: now,
  }));
  const consentAccounts = consenting.flatMap(({ key, accounts, jointAccounts = [] }) =>
    [...accounts.map((account) => account.key), ...jointAccounts].map((account) => ({
      consentId: SANDBOX_IDS.consent(clientId, key),
      accountId: SANDBOX_IDS.account(organization, account),
    })),
  );
  return { consents, consentAccounts };
}

/** A client of the simulated bank of its organization. */
export interface Member {
  clientId: string;
  organization: string;
}

function accountRow({ number, hidesIban, ...account }: SandboxAccount) {
  const { name, type, currency, swift, usage, creditLimit, supportsPayments, supportsTransfers } = account;
  return {
    name,
    type,
    currency,
    bban: number.bban,
    iban: hidesIban ? null : number.iban,
    swift: swift ?? null,
    usage: usage ?? null,
    creditLimit: creditLimit ?? null,
    supportsPayments,
    supportsTransfers,
  };
}

function receiptRow(id: string, transactionId: string): Prisma.AttachmentCreateManyInput {
  const { content, ...row } = receipt();
  const digest = createHash('sha256').update(content).digest();
  return {
    ...row,
    id,
    transactionId,
    size: content.length,
    digest: bytesOf(digest),
    content: bytesOf(content),
  };
}

/** Converts to the type of the generated client. */
function bytesOf(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(buffer);
}
