import { html, type Html } from './html.ts';

/** Of the field that `formToken` makes. */
export const TOKEN_FIELD = 'token';

/** A form that changes something: `fields` are hidden ones, the token among them. */
export function form(options: {
  action: string;
  fields: Readonly<Record<string, string>>;
  /** By which buttons outside of it name it. */
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

/** A box or a button with its words: `of` is the group, `more` a second line. */
export function choice(options: {
  type: 'checkbox' | 'radio';
  name: string;
  value: string;
  checked: boolean;
  words: string;
  more?: string;
  /** The id of what explains the group's fault. */
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

/** What was wrong with a form, read out at once. */
export function formFault(words: string, id: string): Html {
  return html`<p class="fault" role="alert" id="${id}">${words}</p>`;
}
