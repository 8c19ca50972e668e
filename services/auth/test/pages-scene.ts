import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { asked, authorizeUrl, TestBrowser, type Visit } from './browser.ts';
import { formsOf, type PageForm } from './page.ts';
import { sql, surroundAuth, type Surroundings } from './running.ts';

type Changes = Record<string, string | undefined>;

/** A request in its own browser, on the page that identifies the user. */
export interface Begun {
  browser: TestBrowser;
  path: string;
  page: Visit;
}

/** The same, on the page that asks for accounts. */
export interface Identified extends Begun {
  userId: string;
  approve: PageForm;
  refuse: PageForm;
  /** The fields of the form when the first account is chosen. */
  yes: Record<string, string>;
}

/** The stored fields of a decision; `days`: the duration of the consent. */
export interface StoredDecision {
  outcome: string;
  user_id: string | null;
  account_ids: string[];
  days: number;
  roles: string[];
}

/** Auth with account-information, and a TPP whose requests browsers open. */
export interface PagesScene {
  around: Surroundings;
  userOrigin: string;
  tpp: TestTpp;
  open(changes?: Changes, browser?: TestBrowser): Promise<Visit>;
  begin(changes?: Changes): Promise<Begun>;
  /** `hint` is the login hint of the user. */
  identified(changes?: Changes, hint?: string): Promise<Identified>;
  decisions(): Promise<StoredDecision[]>;
  forget(): Promise<unknown>;
}

/** Starts auth with account-information and registers the TPP. */
export async function openPagesScene(
  displayName: string,
  organizationIdentifier = 'PSDDK-DFSA-12345678',
): Promise<PagesScene> {
  const around = await surroundAuth({ accounts: 'sandbox' });
  const { userOrigin } = await around.start();
  const tpp = await around.peers.addTpp({ displayName, organizationIdentifier });
  const open: PagesScene['open'] = (changes = {}, browser = new TestBrowser()) =>
    browser.visit(authorizeUrl(userOrigin, asked(tpp.clientId, changes)));
  await until(async () => (await open()).status === 303, { what: 'the TPP to be known' });
  const begin = async (changes: Changes = {}): Promise<Begun> => {
    const browser = new TestBrowser();
    const { location } = await open(changes, browser);
    return { browser, path: location!, page: await browser.visit(userOrigin + location!) };
  };
  return {
    around,
    userOrigin,
    tpp,
    open,
    begin,
    async identified(changes = {}, hint = 'private-dk') {
      const begun = await begin({ ...changes, login_hint: hint });
      const user = formsOf(begun.page).user!;
      const { value: userId } = user.choices.find(({ checked }) => checked)!;
      const { location } = await begun.browser.send(userOrigin + user.action, {
        ...user.fields,
        user: userId,
      });
      const page = await begun.browser.visit(userOrigin + location!);
      const { approve, refuse } = formsOf(page);
      const yes = { ...approve!.fields, [approve!.choices[0]!.name]: 'on' };
      return { ...begun, page, userId, approve: approve!, refuse: refuse!, yes };
    },
    decisions: () =>
      sql<StoredDecision>(
        around.database.url,
        `SELECT outcome, user_id, account_ids, roles,
                round(extract(epoch FROM valid_until - decided_at) / 86400)::int AS days
         FROM authorization_decision WHERE client_id = $1`,
        [tpp.clientId],
      ),
    forget: () => sql(around.database.url, 'DELETE FROM authorization_decision'),
  };
}
