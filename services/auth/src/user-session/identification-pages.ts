import type { Language, Text } from '@kontoport/errors';
import { html, type Html, type Page } from '@kontoport/pages';
import { bidiIsolate } from '../pages/bidi-isolate.ts';
import { choice, form, type SignedForm } from '../pages/form.ts';
import { PAGE_TEXTS } from '../pages/texts.ts';
import { IDENTIFICATION_TEXTS as TEXTS } from './texts.ts';
import type { BankUser } from './user-authentication.ts';

/** The id of the cancel form: its button is beside those of another form. */
const CANCEL_FORM = 'cancel';

/** The reason for choosing a user. */
export type ChooseUserReason = 'choose-sandbox' | 'choose-for-consents';

/** The page on which a simulated user is chosen, before any data of a user is shown (§Sandbox). */
export function chooseUserPage(options: {
  language: Language;
  reason: ChooseUserReason;
  client: string;
  users: readonly BankUser[];
  loginHint?: string | undefined;
  choose: SignedForm;
  cancel?: SignedForm;
}): Page {
  const { language, reason, client, users, loginHint, choose, cancel } = options;
  const preferred = users.find((user) => user.loginHint === loginHint) ?? users[0];
  const choices = users.map((user) =>
    choice({
      type: 'radio',
      name: 'user',
      value: user.userId,
      checked: user === preferred,
      words: bidiIsolate(user.name),
      ...(user.loginHint === undefined ? {} : { more: user.loginHint }),
    }),
  );
  return {
    language,
    title: TEXTS('choose-title').in(language),
    body: html`<p>${TEXTS(reason, { client }).in(language)}</p>
      ${form({
        ...choose,
        body: html`<fieldset>
            <legend>${TEXTS('choose-legend').in(language)}</legend>
            ${choices}
          </fieldset>
          <div class="buttons">
            <button class="chief">${PAGE_TEXTS('continue').in(language)}</button>
            ${cancel && cancelButton(language)}
          </div>`,
      })}
      ${cancel && cancelForm(cancel)}`,
  };
}

/** The page after a return from the bank's login without a logged-in user. */
export function notLoggedInPage(options: {
  language: Language;
  text: Text;
  /** The page that needs a user. */
  path: string;
  cancel?: SignedForm;
}): Page {
  const { language, text, path, cancel } = options;
  return {
    language,
    title: TEXTS('not-logged-in-title').in(language),
    body: html`<p>${text.in(language)}</p>
      <div class="buttons">
        <a class="button chief" href="${path}/user">${TEXTS('log-in-again').in(language)}</a>
        ${cancel && cancelButton(language)}
      </div>
      ${cancel && cancelForm(cancel)}`,
  };
}

/** The line with the signed-in user and a link to choose another. */
export function signedInLine(options: { language: Language; user: string; path: string }): Html {
  const { language, user, path } = options;
  return html`<p>
    ${TEXTS('signed-in', { user }).in(language)}
    <a href="${path}/user">${TEXTS('other-user').in(language)}</a>
  </p>`;
}

/** The button of `cancelForm`. */
export const cancelButton = (language: Language): Html =>
  html`<button form="${CANCEL_FORM}">${TEXTS('cancel').in(language)}</button>`;

/** The form that cancels. */
export const cancelForm = (cancel: SignedForm): Html => form({ ...cancel, id: CANCEL_FORM });
