import type { Language } from '@kontoport/errors';
import { html, type Html, type Page } from '@kontoport/pages';
import type { Consent, UserAccount } from '@kontoport/proto/accounts/v1';
import { formatAccountNumber } from '../accounts/account-number.model.ts';
import { bidiIsolate } from '../pages/bidi-isolate.ts';
import { formatDay } from '../pages/date.ts';
import { form, type SignedForm } from '../pages/form.ts';
import { IDENTIFICATION_TEXTS } from '../user-session/texts.ts';
import { CONSENT_TEXTS as TEXTS } from './texts.ts';

/** A consent with the fields by which its user recognises it. */
export interface ShownConsent {
  consent: Consent;
  /** Display name of the client; undefined when it is no longer registered. */
  client: string | undefined;
  /** The user's accounts, by id. */
  accounts: ReadonlyMap<string, UserAccount>;
}

/** Checks that a consent is neither withdrawn nor expired. */
export function isLive({ revokedAt, validUntil }: Consent, now: Date): boolean {
  return revokedAt === undefined && (validUntil === undefined || validUntil > now);
}

/** The page of a user's consents, live and ended (§5.9). */
export function consentsPage(options: {
  language: Language;
  user: string;
  consents: readonly ShownConsent[];
  logOut: SignedForm;
  now: Date;
}): Page {
  const { language, user, consents, logOut, now } = options;
  const live = consents.filter(({ consent }) => isLive(consent, now));
  const ended = consents.filter(({ consent }) => !isLive(consent, now));
  const cards = (shown: readonly ShownConsent[]): Html[] =>
    shown.map((each) => card(each, { language, now }));
  return {
    language,
    title: TEXTS('consents-title').in(language),
    body: html`<p>${IDENTIFICATION_TEXTS('signed-in', { user }).in(language)}</p>
      ${form({ ...logOut, body: html`<button class="plain">${TEXTS('log-out').in(language)}</button>` })}
      <h2>${TEXTS('consents-live').in(language)}</h2>
      ${live.length === 0 ? html`<p>${TEXTS('none-live').in(language)}</p>` : cards(live)}
      ${
        ended.length === 0
          ? undefined
          : html`<h2>${TEXTS('consents-ended').in(language)}</h2>
              ${cards(ended)}`
      }`,
  };
}

/** The page on which a user confirms a withdrawal. */
export function revokePage(options: {
  language: Language;
  shown: ShownConsent;
  revoke: SignedForm;
  back: string;
}): Page {
  const { language, shown, revoke, back } = options;
  const client = nameOf(shown, language);
  return {
    language,
    title: TEXTS('revoke-title', { client }).in(language),
    body: html`<p>${TEXTS('revoke-means', { client }).in(language)}</p>
      ${accountsOf(shown, language)}
      <div class="buttons">
        ${form({ ...revoke, body: html`<button class="chief">${TEXTS('revoke').in(language)}</button>` })}
        <a class="button" href="${back}">${TEXTS('keep').in(language)}</a>
      </div>`,
  };
}

/** The page for a user who is not signed in. */
export function signedOutPage(language: Language): Page {
  return {
    language,
    title: TEXTS('signed-out-title').in(language),
    body: html`<p>${TEXTS('signed-out').in(language)}</p>`,
  };
}

function nameOf({ client }: ShownConsent, language: Language): string {
  return client ?? TEXTS('client-gone').in(language);
}

function card(shown: ShownConsent, { language, now }: { language: Language; now: Date }): Html {
  const { consent } = shown;
  const client = nameOf(shown, language);
  const { consentId, grantedAt } = consent;
  const given = grantedAt === undefined ? undefined : formatDay(grantedAt, language);
  // Begins with the visible words of the link, so that voice control finds it (WCAG 2.5.3).
  const words = TEXTS('revoke').in(language);
  const label = `${words}: ${TEXTS('revoke-what', { client, date: given ?? '' }).in(language)}`;
  return html`<section class="card">
    <h3>${client}</h3>
    <dl>
      <dt>${TEXTS('for-what').in(language)}</dt>
      <dd>${purposeOf(consent).in(language)}</dd>
      ${given === undefined ? undefined : givenRow(consent, given, language)}
      ${endOf(consent, { language, now })}
    </dl>
    ${accountsOf(shown, language)}
    ${isLive(consent, now) ? html`<a class="button" href="/consents/${consentId}/revoke" aria-label="${label}">${words}</a>` : undefined}
  </section>`;
}

/** Renders the giver of a consent and its day. Only the sandbox grants consents without an end (§Sandbox). */
function givenRow({ validUntil }: Consent, given: string, language: Language): Html {
  const bySandbox = validUntil === undefined ? TEXTS('given-by-sandbox').in(language) : undefined;
  return html`<dt>${TEXTS('given').in(language)}</dt>
    <dd>${given}${bySandbox && `, ${bySandbox}`}</dd>`;
}

function purposeOf({ roles }: Consent) {
  if (!roles.includes('PSP_PI')) return TEXTS('for-accounts');
  return TEXTS(roles.includes('PSP_AI') ? 'for-accounts-and-payments' : 'for-payments');
}

function endOf(
  { revokedAt, validUntil }: Consent,
  { language, now }: { language: Language; now: Date },
): Html {
  const day = (date: Date): string => formatDay(date, language);
  const [term, words] =
    revokedAt !== undefined
      ? [TEXTS('ended-by-you'), day(revokedAt)]
      : validUntil === undefined
        ? [TEXTS('ends'), TEXTS('ends-never').in(language)]
        : [TEXTS(validUntil > now ? 'ends' : 'ended-by-time'), day(validUntil)];
  return html`<dt>${term.in(language)}</dt>
    <dd>${words}</dd>`;
}

function accountsOf({ consent, accounts }: ShownConsent, language: Language): Html {
  const lines = consent.accountIds.map((id) => {
    const account = accounts.get(id);
    const words = account
      ? `${bidiIsolate(account.name)}, ${formatAccountNumber(account)}\u{a0}·\u{a0}${account.currency}`
      : TEXTS('account-unknown').in(language);
    return html`<li>${words}</li>`;
  });
  return html`<p class="soft">${TEXTS('accounts').in(language)}</p>
    <ul>
      ${lines}
    </ul>`;
}
