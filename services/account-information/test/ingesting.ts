import { randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { openPool } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import type { ApiError } from '@kontoport/errors';
import { createClient, fromServiceError } from '@kontoport/grpc';
import {
  AuthorizeRequest,
  EnrichRequest,
  FailRequest,
  type IngestEntry,
  type IngestRequest,
  type IngestResponse,
  type IngestResult,
  InitiateRequest,
  LedgerServiceClient,
  PostRequest,
  ScheduleRequest,
  SettleRequest,
  VoidRequest,
} from '@kontoport/proto/accounts/v1';

type Given = NonNullable<IngestEntry['entry']>;

/** The fields of a posted or authorized transaction. */
const fields = (accountId: string, value: string) => ({
  transactionId: randomUUID(),
  accountId,
  amount: { value, currency: 'DKK' },
  title: 'Test',
  type: 'card',
});

export const post = (accountId: string, value = '-1.00', change: Partial<PostRequest> = {}): Given => ({
  $case: 'post',
  value: PostRequest.fromPartial({ ...fields(accountId, value), ...change }),
});
export const authorize = (accountId: string, value = '-1.00'): Given => ({
  $case: 'authorize',
  value: AuthorizeRequest.fromPartial(fields(accountId, value)),
});
export const initiate = (accountId: string, value = '-1.00'): Given => ({
  $case: 'initiate',
  value: InitiateRequest.fromPartial(fields(accountId, value)),
});
export const schedule = (accountId: string, value = '-1.00'): Given => ({
  $case: 'schedule',
  value: ScheduleRequest.fromPartial({
    ...fields(accountId, value),
    transactionTime: new Date('2031-01-02T03:04:05Z'),
  }),
});
export const enrich = (of: Given, message: string): Given => ({
  $case: 'enrich',
  value: EnrichRequest.fromPartial({ ...idsOf(of), updateMask: ['message'], message }),
});
/** The ids by which a command refers to the transaction of another entry. */
const idsOf = ({ value: { transactionId, accountId } }: Given) => ({ transactionId, accountId });
export const settle = (of: Given): Given => ({
  $case: 'settle',
  value: SettleRequest.fromPartial(idsOf(of)),
});
export const fail = (of: Given): Given => ({ $case: 'fail', value: FailRequest.fromPartial(idsOf(of)) });
export const takeOut = (of: Given): Given => ({ $case: 'void', value: VoidRequest.fromPartial(idsOf(of)) });

/** A stream of the bank's feed, and its results so far. */
export interface Feeding {
  call: ClientDuplexStream<IngestRequest, IngestResponse>;
  results: IngestResult[];
  /** Resolves to the error of the stream; undefined when it ended without one. */
  ended: Promise<ApiError | undefined>;
  /** Sends entries in one message, numbered from `first` on; resolves when it is written. */
  send(first: number, ...entries: readonly Given[]): Promise<void>;
  /** Waits for `count` answers. */
  answers(count: number): Promise<IngestResult[]>;
  close(): void;
}

/** Opens a stream at `address`. */
export function feed(address: string): Feeding {
  const client = createClient(LedgerServiceClient, address);
  const call = client.ingest();
  const results: IngestResult[] = [];
  call.on('data', (response: IngestResponse) => results.push(...response.results));
  const ended = new Promise<ApiError | undefined>((resolve) => {
    call.on('error', (error) => resolve(fromServiceError(error)));
    call.on('end', () => resolve(undefined));
  });
  return {
    call,
    results,
    ended,
    send: (first, ...entries) =>
      new Promise((resolve) => {
        const numbered = entries.map((entry, at) => ({ number: BigInt(first + at), entry }));
        call.write({ entries: numbered }, () => resolve());
      }),
    answers: (count) =>
      until(() => (results.length >= count ? results : undefined), {
        what: `${count} answers`,
      }),
    close() {
      call.cancel();
      client.close();
    },
  };
}

/** Adds accounts in DKK with 1,000.00 each. */
export async function addAccounts(pool: ReturnType<typeof openPool>, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved, supports_payments,
       supports_transfers)
     SELECT gen_random_uuid(), gen_random_uuid(), 0, 'Test', 'CHECKING', 'DKK', '66950001234567', 100000, 0, true, true
     FROM generate_series(1, $1::int) RETURNING id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/** Returns balances in minor units, reserved amounts and numbers of transactions, in the order of the accounts. */
export async function books(
  pool: ReturnType<typeof openPool>,
  accounts: readonly string[],
): Promise<{ balance: number; reserved: number; transactions: number }[]> {
  const { rows } = await pool.query<{ balance: number; reserved: number; transactions: number }>(
    `SELECT balance::int, reserved::int,
       (SELECT count(*)::int FROM transaction WHERE account_id = account.id) AS transactions
     FROM account WHERE id = ANY ($1) ORDER BY array_position($1, id)`,
    [accounts],
  );
  return rows;
}
