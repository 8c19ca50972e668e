import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { updateFields } from '../src/drafts/draft.model.ts';
import { PAYMENT_TYPES } from '../src/payment-types/payment-types.ts';
import { startBank, type TestBank } from './bank.ts';
import type { CancellingTask } from './cancelling-task.ts';
import { approveIn, draftOf, SENDER } from './kept.ts';
import { TRANSFER } from './running.ts';
import { openStored, type Stored } from './stored.ts';

const WORKER = join(import.meta.dirname, 'cancelling-process.ts');
const COUNT = 60;
const KILLS = 3;

let stored: Stored;
let bank: TestBank;
const workers: ChildProcess[] = [];
beforeAll(async () => {
  [stored, bank] = await Promise.all([openStored(), startBank()]);
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  bank.close();
  await stored.close();
});

function start(task: CancellingTask): ChildProcess {
  const args = ['--disable-warning=ExperimentalWarning', WORKER, JSON.stringify(task)];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  workers.push(worker);
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL');
  expect(await once(worker, 'exit')).toEqual([null, 'SIGKILL']);
}

describe('kill -9 of a process that settles and cancels (§3.2)', () => {
  it('leaves every payment booked or cancelled, never both and never neither', async () => {
    const store = await stored.empty();
    const clientId = randomUUID();
    const now = new Date();
    const rules = PAYMENT_TYPES['domestic-credit-transfer'];
    const fields = { ...TRANSFER, amount: '1.00', senderAccountId: bank.addAccount({ clientId }) };
    const drafts = await Promise.all(
      Array.from({ length: COUNT }, async () => {
        const draft = updateFields(draftOf(clientId, now), { rules, fields, senderAccount: SENDER, now });
        await store.createDraft(draft);
        return draft;
      }),
    );
    const draftIds = drafts.map(({ draftId }) => draftId);
    const { paymentIds } = await approveIn(store, { drafts, now });
    const task = { url: stored.url, bankPort: bank.port, clientId, draftIds, leaseMs: 1_000 };

    for (let killed = 1; killed <= KILLS; killed++) {
      const worker = start(task);
      const share = (COUNT * killed) / (KILLS + 1);
      await until(() => bank.decided >= share, { what: `${share} decisions`, timeout: 60_000 });
      await kill(worker);
    }

    const last = start(task);
    const statuses = async (): Promise<string[]> => {
      const found = await store.findDrafts({ clientId, draftIds, now: new Date() });
      return draftIds.map((id) => found.find(({ draftId }) => draftId === id)!.status);
    };
    const settled = await until(
      async () => {
        const all = await statuses();
        return !all.includes('PENDING') && all;
      },
      { what: 'all payments to be decided', timeout: 90_000 },
    );
    await kill(last);

    expect(settled).toEqual(
      paymentIds.map((paymentId) => (bank.booked.has(paymentId) ? 'COMPLETED' : 'CREATED')),
    );
    expect(bank.available(fields.senderAccountId)).toBe(`${1000 - bank.booked.size}.00`);
  }, 400_000);
});
