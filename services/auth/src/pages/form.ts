import { html, type Html } from '@kontoport/pages';

/** The name of the field that holds the form token. */
export const TOKEN_FIELD = 'token';

/** The action of a form, and its hidden fields with the token. */
export interface SignedForm {
  action: string;
  fields: Readonly<Record<string, string>>;
}

/** Renders a form that changes something. */
export function form(options: {
  action: string;
  fields: Readonly<Record<string, string>>;
  /** The id by which a button outside the form refers to it. */
  id?: string;
  body?: Html;
}): Html {
  const { action, fields, id, body } = options;
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form method="post" action="${action}" ${id === undefined ? undefined : html` id="${id}"`}>
    ${hidden} ${body}
  </form>`;
}

/** Renders a checkbox or radio button with its label; `more` is a second line. */
export function choice(options: {
  type: 'checkbox' | 'radio';
  name: string;
  value: string;
  checked: boolean;
  words: string;
  more?: string;
  /** The id of the element that explains the group's fault. */
  faultId?: string | undefined;
}): Html {
  const { type, name, value, checked, words, more, faultId } = options;
  const fault = faultId === undefined ? undefined : html` aria-invalid="true" aria-describedby="${faultId}"`;
  const second = more === undefined ? undefined : html`<span class="soft">${more}</span>`;
  return html`<label class="choice">
    <input type="${type}" name="${name}" value="${value}" ${checked ? html`checked` : undefined}${fault} />
    <span>${words} ${second}</span>
  </label>`;
}

/** Renders the fault of a form. Screen readers announce it at once. */
export function formFault(words: string, id: string): Html {
  return html`<p class="fault" role="alert" id="${id}">${words}</p>`;
}
