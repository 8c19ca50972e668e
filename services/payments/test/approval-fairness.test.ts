import { randomBytes, randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { openTestPool, type TestDatabase, testDatabase } from '@kontoport/testing/postgres';
import { adapters } from '../src/adapters.ts';
import type { Basket } from '../src/domain/basket.model.ts';
import type {
  Authentication,
  AuthenticationRequest,
} from '../src/domain/ports/strong-customer-authentication.ts';
import { toDocument } from '../src/store/postgres/document.ts';
import { approvalsOf, TestAuthentication, withUserApproval } from './approval-client.ts';
import { DAY } from './postgres-store.ts';
import { type Caller, DRAFTS, REDIRECT, type RunningPayments, startPayments } from './running-payments.ts';
import { USER } from './test-bank.ts';

const MANY = 10_000;
const BATCH = 1_000;
const ORGANIZATION = { organizationIdentifier: 'PSDDK-DFSA-4711' };
const USERS = { userId: USER, redirectUrl: REDIRECT };

/** A bank that gives no answer about the approvals of one client. */
class SilentBank extends TestAuthentication {
  readonly #silence = Promise.withResolvers<void>();
  silentAbout = '';
  hanging = 0;

  override async authenticate(order: AuthenticationRequest): Promise<Authentication> {
    if (order.summary.clientId !== this.silentAbout) return super.authenticate(order);
    this.hanging += 1;
    await this.#silence.promise;
    return { status: 'declined' };
  }

  speak(): void {
    this.#silence.resolve();
  }
}

const bank = new SilentBank();
let database: TestDatabase;
let service: RunningPayments;
let users: ReturnType<typeof approvalsOf>;
beforeAll(async () => {
  database = await testDatabase('payments');
  const { sandbox } = withUserApproval(bank);
  const asking = { ...sandbox, paymentStore: adapters.production.paymentStore };
  service = await startPayments({
    settlementDelay: '1h',
    adapters: { sandbox: asking, production: asking },
    env: {
      DATABASE_URL: database.url,
      OPEN_ITEMS_PER_CLIENT: String(MANY),
      OPEN_ITEMS_PER_ORGANIZATION: String(MANY + 1),
    },
  });
  users = approvalsOf(service);
});
afterAll(async () => {
  bank.speak();
  await service.close();
  await database.drop();
});

/** Approvals of a client to which its users have said yes, all of which the bank is to be asked about. @returns their links */
async function keepApprovals({ clientId }: Caller): Promise<string[]> {
  const pool = openTestPool(database.url, { max: 1 });
  const now = new Date();
  const answer = { decision: 'approve', digest: 'digest', language: 'en', at: now } as const;
  const expiresAt = new Date(now.getTime() + DAY);
  const made = Array.from({ length: MANY }, (): Basket => {
    const paymentId = randomUUID();
    return {
      clientId,
      ...ORGANIZATION,
      requestId: paymentId,
      draftIds: [],
      paymentIds: [paymentId],
      redirectUrl: REDIRECT,
      status: 'AWAITING_APPROVAL',
      approvalId: randomBytes(32).toString('base64url'),
      createdAt: now,
      approvalRequest: { userId: USER, expiresAt, dueAt: now, attempts: 1, answer, traceparent: undefined },
    };
  });
  for (let from = 0; from < MANY; from += BATCH) {
    const batch = made.slice(from, from + BATCH);
    await pool.query(
      `INSERT INTO basket (client_id, id, organization, created_at, due_at, counted, content)
       SELECT $1, id, $2, $3, $3, true, content FROM unnest($4::uuid[], $5::json[]) AS made (id, content)`,
      [
        clientId,
        ORGANIZATION.organizationIdentifier,
        now,
        batch.map(({ requestId }) => requestId),
        batch.map(toDocument),
      ],
    );
  }
  await pool.end();
  return made.map(({ approvalId }) => approvalId);
}

describe('ten thousand approvals of one TPP that wait (§3.2, §8)', () => {
  let busy: Caller;
  let links: string[];
  beforeAll(async () => {
    busy = await service.caller(ORGANIZATION);
    bank.silentAbout = busy.clientId;
    links = await keepApprovals(busy);
    await until(() => bank.hanging === 4, { what: 'four questions to hang' });
  });

  const create = ({ call }: Caller) => call('POST', DRAFTS, { draftId: randomUUID(), name: 'Rent' });

  it('are as many as it may have, and so is one more of its organization', async () => {
    const refused = await create(busy);
    expect([refused.status, refused.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toBe('60');
    const twin = await service.caller(ORGANIZATION);
    expect((await create(twin)).status).toBe(201);
    expect(await create(twin)).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED' } });
  });

  it('do not keep another from being asked about and approved, nor do their pages, opened again and again', async () => {
    const neighbour = await service.caller();
    const account = service.bank.addAccount({ clientId: neighbour.clientId });
    let over = false;
    let opened = 0;
    const openPages = async (own: readonly string[]): Promise<void> => {
      for (const link of own) {
        if (over) return;
        // What is refused on a busy machine counts as well.
        await users.get(link, USER).catch(() => undefined);
        opened += 1;
      }
    };
    const lanes = Array.from({ length: 8 }, (_none, lane) =>
      openPages(links.filter((_link, i) => i % 8 === lane)),
    );
    await until(() => opened > 50, { what: 'pages to be opened' });
    bank.says = 'pending';
    const asked = await until(
      async () => users.ask(neighbour, [await neighbour.validDraft(account)], USERS),
      { what: 'an approval of the neighbour' },
    );
    const said = await until(() => users.decide(asked, { userId: USER, decision: 'approve' }), {
      what: 'the yes of its user',
    });
    expect(said.status).toBe('AWAITING_APPROVAL');
    // From here on it is asked about in the background, in its turn.
    bank.says = 'approved';
    await users.reaches(neighbour, asked, 'APPROVED');
    over = true;
    await Promise.all(lanes);
    expect(bank.hanging).toBe(4);
  });
});
