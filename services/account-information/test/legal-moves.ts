import type { LedgerCommand } from '../src/ledger/entry.model.ts';

/** Status that follows, then the moves of balance and reserved amount in minor units. */
type Legal = Partial<Record<LedgerCommand, readonly [then: string, balance: number, reserved: number]>>;

/** What there is can be told more of. */
const told = (then: string): Legal => ({ Enrich: [then, 0, 0], PutAttachment: [then, 0, 0] });
/** Of every state what is possible: the status that follows, and how far balance and reserved amount move. */
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
