import { html, type Html } from '@kontoport/pages';

/** Makes a table that scrolls sideways on a narrow screen; without rows, a sentence. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
  none: string,
): Html {
  if (rows.length === 0) return html`<p class="soft">${none}</p>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${head.join(', ')}">
    <table>
      <thead>
        <tr>
          ${head.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Shows a time of the interface, such as `2026-11-27T10:20:30.123Z`, to the second. */
export const time = (at: string): Html => {
  return html`<time datetime="${at}"
    >${at.replace('T', ' ').replace(/(\.\d+)?(Z|[+-]\d\d:\d\d)$/, '')}</time
  >`;
};

/** A link to the next page of a list; nothing at its end. */
export const nextPage = (path: string, cursor: unknown): Html | undefined =>
  typeof cursor === 'string'
    ? html`<p>
        <a href="${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}">Next page</a>
      </p>`
    : undefined;

/** One button that sends a form. */
export const button = (action: string, label: string, hidden: Readonly<Record<string, string>> = {}): Html =>
  html`<form method="post" action="${action}">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button>${label}</button>
  </form>`;
