import { randomUUID } from 'node:crypto';
import { type Draft, paymentOf } from '../src/domain/draft.model.ts';
import { cancelPayment, endPosting } from '../src/domain/payment.model.ts';
import { describeInitiations } from './initiations.conformance.ts';
import { describeListing } from './listing.conformance.ts';
import { describePaymentStore } from './payment-store.conformance.ts';
import { DAY, openStored, type Stored } from './postgres-store.ts';
import { approveDraftsIn, draftOf, DUE, later, NOW } from './store-fixtures.ts';

let stored: Stored;
beforeAll(async () => {
  stored = await openStored();
});
afterAll(() => stored.close());

describePaymentStore('in PostgreSQL', () => stored.empty());
describeInitiations('in PostgreSQL', () => stored.empty());
describeListing('in PostgreSQL', () => stored.empty(), 400);

const keyOf = ({ clientId, draftId }: Draft, now = NOW) => ({ clientId, draftId, now });

/** The events in the outbox, in order. */
async function told(): Promise<[string, string][]> {
  const { rows } = await stored.db.pool.query<{ type: string; status: string }>(
    `SELECT headers ->> 'ce_type' AS type, value::json ->> 'status' AS status FROM outbox WHERE topic <> 'kontoport.audit.v1' ORDER BY id`,
  );
  return rows.map(({ type, status }) => [type, status]);
}

describe('PostgreSQL stores a payment and its events together (§6)', () => {
  it('writes the events of a change with it, and wakes the relay', async () => {
    await stored.empty();
    let woken = 0;
    const store = stored.replica({ relay: { wake: () => (woken += 1) } });
    const draft = draftOf(randomUUID());
    await store.createDraft(draft);
    expect([await told(), woken]).toEqual([[], 0]);
    await approveDraftsIn(store, { drafts: [draft] });
    expect([await told(), woken]).toEqual([[['Transfer.CreatedV1', 'PENDING']], 1]);
    await store.claimDue({ ...DUE, now: NOW });
    expect(woken).toBe(1);
    await store.updateDraft({
      ...keyOf(draft),
      change: (found) =>
        endPosting(found, { outcome: 'settle', paymentId: paymentOf(found).paymentId, now: later(1) }),
    });
    expect([(await told()).at(-1), woken]).toEqual([['Transfer.StatusChangedV1', 'COMPLETED'], 2]);
  });

  it('writes neither if one fails', async () => {
    const store = await stored.empty();
    const draft = draftOf(randomUUID());
    await store.createDraft(draft);
    await stored.db.pool.query('ALTER TABLE outbox ADD CONSTRAINT none CHECK (false) NOT VALID');
    await expect(approveDraftsIn(store, { drafts: [draft] })).rejects.toThrow('none');
    await stored.db.pool.query('ALTER TABLE outbox DROP CONSTRAINT none');
    expect(await store.findDraft(keyOf(draft))).toEqual(draft);
    expect(await told()).toEqual([]);
    await approveDraftsIn(store, { drafts: [draft] });
    await expect(
      store.updateDraft({
        ...keyOf(draft),
        change(found) {
          cancelPayment(found, NOW);
          throw new Error('no');
        },
      }),
    ).rejects.toThrow('no');
    expect(await told()).toEqual([['Transfer.CreatedV1', 'PENDING']]);
  });

  it('repeats a decision after a deadlock, and gives up after ten attempts', async () => {
    const store = await stored.empty();
    const draft = draftOf(randomUUID());
    await store.createDraft(draft);
    const failing = (times: number) => {
      let asked = 0;
      const change = (found: Draft): Draft => {
        asked += 1;
        if (asked <= times) throw Object.assign(new Error('deadlock'), { code: '40P01' });
        return { ...found, name: `${found.name}${asked}` };
      };
      return change;
    };
    expect((await store.updateDraft({ ...keyOf(draft), change: failing(2) }))?.name).toBe('Rent3');
    await expect(store.updateDraft({ ...keyOf(draft), change: failing(Infinity) })).rejects.toThrow(
      'deadlock',
    );
  });
});

describe('PostgreSQL bounds open items (§8)', () => {
  it("refuses more than a client's quota; approved payments do not count", async () => {
    const limits = { ofClient: 2, ofOrganization: 100 };
    await stored.empty();
    const clientId = randomUUID();
    const [one, two] = [draftOf(clientId), draftOf(clientId)];
    await stored.replica({ limits }).createDraft(one);
    const store = stored.replica({ limits });
    await store.createDraft(two);
    expect(await store.createDraft({ ...two, name: 'Other' })).toBe('taken');
    const refused = { code: 'RATE_LIMITED', text: { rule: 'client-open-full' } };
    await expect(store.createDraft(draftOf(clientId))).rejects.toMatchObject(refused);
    expect(await store.createDraft(draftOf(randomUUID()))).toBe('created');
    await approveDraftsIn(store, { drafts: [one, two] });
    const counting = stored.replica({ limits });
    expect(await counting.createDraft(draftOf(clientId))).toBe('created');
    expect(await counting.createDraft(draftOf(clientId))).toBe('created');
    await expect(counting.createDraft(draftOf(clientId))).rejects.toMatchObject(refused);
  });
});

describe('PostgreSQL deletes expired records (§8)', () => {
  const rows = async (): Promise<number[]> => {
    const { rows: counted } = await stored.db.pool.query<{ counts: number[] }>(
      `SELECT ARRAY[(SELECT count(*)::int FROM draft), (SELECT count(*)::int FROM basket),
                    (SELECT count(*)::int FROM basket_payment)] AS counts`,
    );
    return counted[0]!.counts;
  };

  it('deletes drafts and payments after their own time, and pending ones never', async () => {
    const store = await stored.empty();
    const clientId = randomUUID();
    const [idle, settled, waiting] = [draftOf(clientId), draftOf(clientId), draftOf(clientId)];
    for (const draft of [idle, settled, waiting]) await store.createDraft(draft);
    await approveDraftsIn(store, { drafts: [settled] });
    await approveDraftsIn(store, { drafts: [waiting] });
    await store.updateDraft({
      ...keyOf(settled),
      change: (found) =>
        endPosting(found, { outcome: 'settle', paymentId: paymentOf(found).paymentId, now: NOW }),
    });
    const sweep = (days: number) => store.sweep({ now: later(days * DAY), limit: 100 });

    expect(await store.findDraft(keyOf(idle, later(DAY - 1)))).toBeDefined();
    expect(await store.findDraft(keyOf(idle, later(DAY)))).toBeUndefined();
    await sweep(0.99);
    expect(await rows()).toEqual([3, 2, 2]);
    await sweep(1);
    expect(await rows()).toEqual([2, 2, 2]);
    await sweep(399.99);
    expect(await rows()).toEqual([2, 2, 2]);
    await sweep(400);
    expect(await rows()).toEqual([1, 0, 0]);
    expect((await store.findDraft(keyOf(waiting, later(1_000 * DAY))))?.status).toBe('PENDING');
  });

  it('frees the id of a draft that lapsed, whether it was swept or not', async () => {
    const store = await stored.empty();
    const draft = draftOf(randomUUID());
    await store.createDraft(draft);
    const again = { ...draft, name: 'Again', createdAt: later(DAY), updatedAt: later(DAY) };
    expect(await store.createDraft({ ...again, createdAt: later(DAY - 1) })).toBe('taken');
    expect(await store.createDraft(again)).toBe('created');
    expect(await store.findDraft(keyOf(draft, later(DAY)))).toEqual(again);
  });
});

describe('PostgreSQL finds nothing for an invalid id (§5.5)', () => {
  it('finds nothing, and nothing fails', async () => {
    const store = await stored.empty();
    const owner = { clientId: randomUUID(), now: NOW };
    const id = `x' OR true --`;
    expect(await store.findDraft({ ...owner, draftId: id })).toBeUndefined();
    expect(await store.findBasket({ ...owner, requestId: id })).toBeUndefined();
    expect(await store.findBasketByPaymentId({ ...owner, paymentId: id })).toBeUndefined();
    expect(await store.findStandingOrder({ ...owner, paymentId: id })).toBeUndefined();
    expect(await store.findBasketByApprovalId({ approvalId: id, now: NOW })).toBeUndefined();
  });
});
