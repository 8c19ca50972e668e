import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import {
  expectHeader,
  expectRefusal,
  expectSameRefusal,
  expectThat,
  type Json,
  listOf,
  textOf,
} from '../expectations.ts';
import { type Request, requireOther, type Tpp } from '../tpp.ts';

const role = 'PSP_AI';
const MAX_PAGES = 6;
const UNKNOWN = randomUUID();
const idsOf = (transactions: readonly Json[]): string[] => transactions.map((each) => textOf(each, 'id'));
const flat = (id: string, query = ''): string => `/accounts/${id}/transactions${query}`;
const v2 = (id: string, query = ''): string => `/v2${flat(id, query)}`;
const post = (json: Json): Request => ({ method: 'POST', json });
const FUNDS = '/funds-confirmation';

/** A change of one character, which keeps the length. */
const altered = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

const fundsOf = async (tpp: Tpp): Promise<Json> => ({
  accountId: (await tpp.account()).id,
  amount: 1,
  currency: 'DKK',
});

/** Accounts, transactions and the confirmation of funds. */
export const accountChecks: readonly Check[] = [
  {
    clause: '4.3',
    id: 'accounts',
    must: 'The accounts of the client have a currency, a balance and the type CHECKING, each id once.',
    role,
    async run(tpp) {
      const accounts = await tpp.accounts();
      expectThat(new Set(idsOf(accounts)).size === accounts.length, 'each id once', 'one twice');
      for (const account of accounts) {
        expectThat(account.type === 'CHECKING', 'the type CHECKING', 'another');
        expectThat(/^[A-Z]{3}$/.test(textOf(account, 'currency')), 'a currency of ISO 4217', 'another');
        expectThat(
          typeof account.balanceAmount === 'number',
          'balanceAmount as a number',
          typeof account.balanceAmount,
        );
      }
    },
  },
  {
    clause: '4.3',
    id: 'foreign-account',
    must: 'An account of another organization is as unknown as an id that never existed.',
    role,
    async run(tpp) {
      const { id } = await (await requireOther(tpp)).account();
      for (const path of [flat, v2]) {
        const foreign = await tpp.send(path(id));
        expectRefusal(foreign, 404, 'RESOURCE_UNKNOWN');
        expectSameRefusal(foreign, await tpp.send(path(UNKNOWN)));
      }
    },
  },
  {
    clause: '4.3',
    id: 'existence-first',
    must: 'An unknown account is 404 before a wrong limit is 400.',
    role,
    run: async (tpp) =>
      void expectRefusal(await tpp.send(flat(UNKNOWN, '?limit=0')), 404, 'RESOURCE_UNKNOWN'),
  },
  {
    clause: '4.3',
    id: 'flat-pages',
    must: 'offset and limit select a part of the flat list, newest first.',
    role,
    async run(tpp) {
      const { id } = await tpp.account();
      const all = listOf(await tpp.ask(flat(id, '?limit=6')), 'transactions');
      const part = await tpp.ask(flat(id, '?limit=3&offset=2'));
      expectThat(part.limit === 3 && part.offset === 2, 'the limit and offset of the request', 'others');
      const wanted = idsOf(all).slice(2, 5).join();
      expectThat(
        idsOf(listOf(part, 'transactions')).join() === wanted,
        'the third to fifth transaction',
        'others',
      );
      const times = all.map((each) => Date.parse(textOf(each, 'transactionTime')));
      expectThat(
        times.every((time, at) => at === 0 || time <= times[at - 1]!),
        'the newest first',
        'another order',
      );
    },
  },
  {
    clause: '8',
    id: 'limits',
    must: 'A limit is 100 unless given, and 500 at most; more is 400.',
    role,
    async run(tpp) {
      const { id } = await tpp.account();
      for (const path of [flat, v2]) {
        expectThat((await tpp.ask(path(id))).limit === 100, 'a limit of 100', 'another');
        await tpp.ask(path(id, '?limit=500'));
        for (const limit of ['501', '0', '-1', 'x'])
          expectRefusal(await tpp.send(path(id, `?limit=${limit}`)), 400, 'FORMAT_ERROR');
      }
    },
  },
  {
    clause: '4.3',
    id: 'v2-pages',
    must: 'The pages of the V2 list neither lose nor repeat a transaction, and have all pending ones.',
    role,
    async run(tpp) {
      const { id } = await tpp.account();
      const before = await tpp.ask(v2(id, '?limit=500'));
      const posted = idsOf(listOf(before, 'posted'));
      const limit = Math.max(1, Math.ceil(posted.length / 4));
      const seen: string[] = [];
      let cursor = '';
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const json = await tpp.ask(
          v2(id, `?limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`),
        );
        expectThat(Array.isArray(json.pending), 'pending on each page', 'none');
        seen.push(...idsOf(listOf(json, 'posted')));
        if (json.nextCursor === undefined) break;
        cursor = textOf(json, 'nextCursor');
      }
      const known = seen.filter((each) => posted.includes(each));
      expectThat(new Set(seen).size === seen.length, 'each transaction once', 'one twice');
      expectThat(known.join() === posted.join(), 'the pages together as the whole list', 'another list');
    },
  },
  {
    clause: '4.3',
    id: 'cursor',
    must: 'A cursor that was changed, or comes with another limit or account, is 400 CURSOR_INVALID.',
    role,
    async run(tpp) {
      const { id } = await tpp.account();
      const { id: other } = await tpp.account('SEK');
      const cursor = textOf(await tpp.ask(v2(id, '?limit=1')), 'nextCursor');
      for (const path of [
        v2(id, `?limit=1&cursor=${encodeURIComponent(altered(cursor))}`),
        v2(id, `?limit=2&cursor=${encodeURIComponent(cursor)}`),
        v2(other, `?limit=1&cursor=${encodeURIComponent(cursor)}`),
      ])
        expectRefusal(await tpp.send(path), 400, 'CURSOR_INVALID');
    },
  },
  {
    clause: '4.3',
    id: 'window',
    must: 'A window has the transactions later than from and earlier than to, both exclusive.',
    role,
    async run(tpp) {
      const { id } = await tpp.account();
      const [newest, , third] = listOf(await tpp.ask(flat(id, '?limit=3')), 'transactions');
      const [to, from] = [textOf(newest!, 'transactionTime'), textOf(third!, 'transactionTime')];
      const window = `?${new URLSearchParams({ from, to }).toString()}`;
      const inside = listOf(await tpp.ask(flat(id, window)), 'transactions');
      const isInside = inside.every(({ transactionTime: at }) => String(at) > from && String(at) < to);
      expectThat(isInside, 'times between from and to', 'one outside');
    },
  },
  {
    clause: '4.3',
    id: 'times',
    must: 'A date without time and a time without zone are accepted; a text that is no time is 400.',
    role,
    async run(tpp) {
      const { id } = await tpp.account();
      for (const from of ['2020-01-01', '2020-01-01T10:00:00', '2020-01-01T10:00:00+01:00'])
        await tpp.ask(v2(id, `?from=${encodeURIComponent(from)}`), { status: 200 });
      for (const from of ['yesterday', '2020-13-01', '2020-02-30'])
        expectRefusal(await tpp.send(v2(id, `?from=${from}`)), 400, 'FORMAT_ERROR');
    },
  },
  {
    clause: '4.3',
    id: 'transaction',
    must: 'A transaction by its id is the one of the list, with deleted; an unknown id is 404.',
    role,
    async run(tpp) {
      const { id } = await tpp.account();
      const [newest] = listOf(await tpp.ask(flat(id, '?limit=1')), 'transactions');
      const { deleted, ...detail } = await tpp.ask(flat(id, `/${textOf(newest!, 'id')}`), { status: 200 });
      expectThat(deleted === false, 'deleted: false', 'another');
      expectThat(
        detail.id === newest!.id && detail.title === newest!.title,
        'the transaction of the list',
        'another',
      );
      expectRefusal(await tpp.send(flat(id, `/${UNKNOWN}`)), 404, 'RESOURCE_UNKNOWN');
    },
  },
  {
    clause: '7',
    id: 'v2-token',
    must: 'The V2 list answers 403 for every fault of the token.',
    async run(tpp) {
      for (const token of ['no-token', null])
        expectThat((await tpp.send(v2(UNKNOWN), { token })).status === 403, 'status 403', 'another');
    },
  },
  {
    clause: '2.13',
    id: 'funds',
    must: 'A confirmation of funds is true for an amount that is available and false for one that is not.',
    role: 'PSP_PI',
    async run(tpp) {
      const body = await fundsOf(tpp);
      for (const [amount, wanted] of [
        [1, true],
        [999_999_999, false],
      ] as const) {
        const { fundsAvailable } = await tpp.ask(FUNDS, { ...post({ ...body, amount }), status: 200 });
        expectThat(fundsAvailable === wanted, `fundsAvailable: ${wanted}`, 'another');
      }
    },
  },
  {
    clause: '2.13',
    id: 'funds-form',
    must: 'An amount that is not positive, has too many decimals, or another currency is 400.',
    role: 'PSP_PI',
    async run(tpp) {
      const body = await fundsOf(tpp);
      for (const change of [{ amount: 0 }, { amount: -1 }, { amount: 0.001 }, { currency: 'SEK' }])
        expectRefusal(await tpp.send(FUNDS, post({ ...body, ...change })), 400, 'FORMAT_ERROR');
    },
  },
  {
    clause: '2.13',
    id: 'funds-account',
    must: 'A confirmation of funds for an unknown account is 404.',
    role: 'PSP_PI',
    async run(tpp) {
      const json = { accountId: UNKNOWN, amount: 1, currency: 'DKK' };
      expectRefusal(await tpp.send(FUNDS, post(json)), 404, 'RESOURCE_UNKNOWN');
    },
  },
  {
    clause: 'Sandbox',
    id: 'posting',
    must: 'A transaction that the sandbox posts is in both lists, and readable by its id.',
    role,
    isForSandbox: true,
    async run(tpp) {
      const { id } = await tpp.account();
      const json = { amount: -1, currency: 'DKK', title: 'Conformance' };
      const made = await tpp.ask(`/sandbox/accounts/${id}/postings`, post(json));
      const transactionId = textOf(made, 'transactionId');
      const lists = [
        idsOf(listOf(await tpp.ask(flat(id)), 'transactions')),
        idsOf(listOf(await tpp.ask(v2(id)), 'posted')),
      ];
      expectThat(
        lists.every((ids) => ids.includes(transactionId)),
        'the transaction in both lists',
        'a list without it',
      );
      const answer = await tpp.send(flat(id, `/${transactionId}`), { headers: { 'x-language': 'da' } });
      expectHeader(answer, 'content-language', /^da$/);
    },
  },
];
