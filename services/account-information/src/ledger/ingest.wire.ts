import { ApiError } from '@kontoport/errors';
import type { IngestEntry, IngestResult } from '@kontoport/proto/accounts/v1';
import { TEXTS } from '../texts.ts';
import { readEnrichment } from './enrichment.wire.ts';
import { bookedToWire } from './outcome.wire.ts';
import type { Booked, LedgerEntry } from './posting.model.ts';
import { readPlanned, readPosting, readSettlement, readTransactionIds } from './posting.wire.ts';

type Given = NonNullable<IngestEntry['entry']>;

/** Reads each entry as its own rpc does. */
const READERS: {
  [Case in Given['$case']]: (request: Extract<Given, { $case: Case }>['value']) => LedgerEntry;
} = {
  post: (request) => ({ ...readPosting(request), command: 'Post' }),
  authorize: (request) => ({ ...readPosting(request), command: 'Authorize' }),
  settle: (request) => ({ ...readSettlement(request), command: 'Settle' }),
  fail: (request) => ({ ...readTransactionIds(request), command: 'Fail' }),
  void: (request) => ({ ...readTransactionIds(request), command: 'Void' }),
  initiate: (request) => ({ ...readPosting(request), command: 'Initiate' }),
  schedule: (request) => ({ ...readPlanned(request), command: 'Schedule' }),
  enrich: (request) => ({ ...readEnrichment(request), command: 'Enrich' }),
};

/** Reads an entry of a stream. @throws ApiError FORMAT_ERROR with a detail for every fault */
export function readIngestEntry({ entry }: IngestEntry): LedgerEntry {
  if (entry === undefined) {
    const text = TEXTS('ingest-empty', { values: Object.keys(READERS).join(', ') });
    throw new ApiError('FORMAT_ERROR', text, { details: [{ path: 'entry', text }] });
  }
  const read = READERS[entry.$case] as (request: Given['value']) => LedgerEntry;
  return read(entry.value);
}

/** Answers an entry that was applied. */
export function doneResult(number: bigint, entry: LedgerEntry, booked: Booked | undefined): IngestResult {
  const { transactionId } = entry;
  return { number, ...(booked === undefined ? { transactionId } : bookedToWire(transactionId, booked)) };
}

/** Answers a refused entry, in English. */
export function refusedResult(
  number: bigint,
  entry: LedgerEntry | undefined,
  { code, text, details }: ApiError,
): IngestResult {
  return {
    number,
    transactionId: entry?.transactionId ?? '',
    refusal: {
      errorCode: code,
      message: text.in('en'),
      faults: details.map((detail) => ({ path: detail.path, message: detail.text.in('en') })),
    },
  };
}
