import { html, type Html } from '@kontoport/pages';

/** Renders code as it is. Readers reach it by keyboard, since it may be wider than the page. */
export function codeBlock(text: string): Html {
  // On one line, because whitespace within `pre` counts.
  return html`<pre tabindex="0"><code>${text}</code></pre>`;
}
