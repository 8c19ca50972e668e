import { createHash } from 'node:crypto';
import type { Prisma } from '../../gen/prisma/client.ts';
import { derivedId } from './derived-id.ts';
import { HISTORIES } from './histories.ts';
import { playHistory } from './history.ts';
import { receipt } from './receipt.ts';
import { sandboxUserId } from './sandbox-users.ts';
import { SANDBOX_USERS, type SandboxAccount } from './users.ts';

/** A client's copy of the simulated users, as rows. */
export interface SandboxData {
  consents: Prisma.ConsentCreateManyInput[];
  accounts: Prisma.AccountCreateManyInput[];
  consentAccounts: Prisma.ConsentAccountCreateManyInput[];
  transactions: Prisma.TransactionCreateManyInput[];
  owned: Prisma.SandboxAccountCreateManyInput[];
  due: Prisma.SandboxDueCreateManyInput[];
  attachments: Prisma.AttachmentCreateManyInput[];
}

/**
 * Builds a client's copy: its ids follow from the client's id, its history ends at `now`, all else is fixed. The ids of
 * its transactions follow from a secret besides: clients choose ids of theirs, and nobody may take these before.
 * Consents are granted, as the sandbox does without asking, for all accounts that a user has and for both roles.
 */
export function sandboxData(clientId: string, now: Date, secret: string): SandboxData {
  const data: SandboxData = {
    consents: [],
    accounts: [],
    consentAccounts: [],
    transactions: [],
    owned: [],
    due: [],
    attachments: [],
  };
  for (const user of SANDBOX_USERS) {
    const userId = sandboxUserId(clientId, user.key);
    const consentId = derivedId(clientId, 'consent', user.key);
    data.consents.push({ id: consentId, clientId, userId, grantedAt: now, roles: ['PSP_AI', 'PSP_PI'] });
    for (const account of user.accounts) {
      const id = derivedId(clientId, 'account', account.key);
      const { currency, openingBalance } = account;
      const { transactions, ...state } = playHistory(HISTORIES[account.key]!, {
        currency,
        openingBalance,
        now,
      });
      data.accounts.push({
        ...accountRow(account),
        ...state,
        openingBalance,
        id,
        userId,
        ownerName: user.ownerName ?? null,
        position: data.accounts.length,
      });
      data.consentAccounts.push({ consentId, accountId: id });
      data.owned.push({ accountId: id, clientId });
      for (const { key, original, details, ends, ...transaction } of transactions) {
        const transactionId = derivedId(clientId, secret, 'account', account.key, 'transaction', key);
        if (ends !== undefined)
          data.due.push({ transactionId, accountId: id, clientId, ...ends, dueAt: ends.endsAt });
        const attachmentIds = (details.attachmentIds ?? []).map((name) =>
          derivedId(clientId, 'attachment', name),
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
          // In the histories an attachment has a name; here it has the client's own id.
          details: attachmentIds.length === 0 ? details : { ...details, attachmentIds },
        });
      }
    }
  }
  return data;
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

/** As the generated client wants them. */
function bytesOf(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(buffer);
}
