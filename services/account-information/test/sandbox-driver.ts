import { until } from '@kontoport/embedded/wait';
import { ask } from '@kontoport/testing/answer';
import { withFreshDirectory } from '@kontoport/testing/fresh-directory';
import { type Reader, startAccountInformation } from './running.ts';
import { readTopic } from './topic-reader.ts';

export const DAY_S = 86_400;

interface Listed {
  id: string;
  name: string;
  currency: string;
}

/** The service with a client that controls its simulated bank, and functions that read the results. */
export async function startDriver() {
  const running = await startAccountInformation();
  const topic = await readTopic(running.brokers);
  const tpp = await running.addTpp();

  const driver = {
    running,
    tpp,
    send: (path: string, body?: unknown, reader = tpp) =>
      withFreshDirectory(() => ask('POST', running.origin + path, { headers: reader.headers, body })),
    advance: (by: string | number, reader = tpp) => driver.send('/sandbox/clock', { advance: by }, reader),
    async accountsOf(reader = tpp): Promise<Listed[]> {
      const { status, body } = await reader.get('/sandbox/accounts');
      expect(status).toBe(200);
      return body.accounts as Listed[];
    },
    idOf: async (name: string, reader: Reader = tpp): Promise<string> =>
      (await driver.accountsOf(reader)).find((account) => account.name === name)!.id,
    /** Minor units. */
    async state(accountId: string): Promise<{ balance: number; reserved: number }> {
      const { rows } = await running.pool.query<{ balance: string; reserved: string }>(
        'SELECT balance, reserved FROM account WHERE id = $1',
        [accountId],
      );
      return { balance: Number(rows[0]!.balance), reserved: Number(rows[0]!.reserved) };
    },
    /** Returns the stored status of a transaction. */
    async statusOf(transactionId: string) {
      const { rows } = await running.pool.query<{ status: string; posting_time: Date | null }>(
        'SELECT status, posting_time FROM transaction WHERE id = $1',
        [transactionId],
      );
      return rows[0];
    },
    ended: (transactionId: string, status: string) =>
      until(async () => (await driver.statusOf(transactionId))?.status === status, {
        what: `${status}: ${transactionId}`,
      }),
    /** Waits for an event of a transaction and returns all of them. */
    async eventsOf(transactionId: string) {
      await topic.find(transactionId);
      return topic.events
        .map(({ value }) => value)
        .filter(({ ledgerPostingId }) => ledgerPostingId === transactionId);
    },
    async close() {
      await topic.close();
      await running.close();
    },
  };
  return driver;
}

export type Driver = Awaited<ReturnType<typeof startDriver>>;
