import { escapeHtml } from '@kontoport/http';

/** HTML that may stand in a page as it is; `html` alone makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined;

/**
 * HTML, in which every value is text but for what is HTML itself; an absent one is nothing.
 * @example html`<p>${name}</p>${isLate && html`<p>…</p>`}`
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(written)));
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('\n');
  return escapeHtml(String(part));
}
