import type { LedgerCommand } from '../src/ledger/entry.model.ts';

/** The next status, then the changes of balance and reserved amount in minor units. */
type Legal = Partial<Record<LedgerCommand, readonly [then: string, balance: number, reserved: number]>>;

/** Enrich and PutAttachment are legal in every state of an existing transaction and move no money. */
const told = (then: string): Legal => ({ Enrich: [then, 0, 0], PutAttachment: [then, 0, 0] });
/** The legal commands of every state: the next status, and the changes of balance and reserved amount. */
export const LEGAL: Record<string, Legal> = {
  unused: {
    Post: ['financial', -7700, 0],
    Authorize: ['authorization', 0, 7700],
    Initiate: ['initiated', 0, 0],
    Schedule: ['future', 0, 0],
    Void: ['declined', 0, 0],
  },
  authorized: {
    Settle: ['financial', -7700, -1000],
    Fail: ['failed_authorization', 0, -1000],
    ...told('authorization'),
  },
  initiated: {
    Settle: ['financial', -7700, 0],
    Fail: ['declined', 0, 0],
    Initiate: ['initiated', 0, 0],
    ...told('initiated'),
  },
  future: {
    Initiate: ['initiated', 0, 0],
    Settle: ['financial', -7700, 0],
    Fail: ['declined', 0, 0],
    ...told('future'),
  },
  settled: told('financial'),
  failed: { Fail: ['failed_authorization', 0, 0], ...told('failed_authorization') },
  refused: { Void: ['declined', 0, 0] },
  voided: { Void: ['declined', 0, 0] },
  interim: told('interim'),
  failed_authorization: told('failed_authorization'),
  declined: told('declined'),
  unknown: told('unknown'),
};
