import type { Language } from '@kontoport/errors';
import { escapeHtml } from '@kontoport/http';
import type { Html } from './html.ts';
import { STYLE, STYLE_SOURCE } from './style.ts';

/** A page for the bank's users. */
export interface Page {
  language: Language;
  /** Its heading, and its name in the browser. */
  title: string;
  /** What follows the heading. */
  body: Html;
  /** Leads the browser on at once, to an absolute URL. */
  onwards?: string;
  /** Loads the page again after so many seconds. */
  againAfter?: number;
}

/**
 * What every page says to the browser: no script, no foreign resource, no form that leads elsewhere, no frame or opener around it,
 * and no address of ours for the next page. `form-action` counts for every redirect after a form, those of the TPP included,
 * which is why no form is answered with one that leads away.
 */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** The page with its headers, in the one layout; nothing of it is kept, by `sendReply`. */
export function renderPage({ language, title, body, onwards, againAfter }: Page): {
  html: string;
  headers: Record<string, string>;
} {
  const text = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>Kontoport</header>
<main>
<h1>${escapeHtml(title)}</h1>
${body.text}
</main>
</body>
</html>
`;
  return {
    html: text,
    headers: {
      ...HEADERS,
      ...(onwards !== undefined && { refresh: `0;url=${onwards}` }),
      ...(againAfter !== undefined && { refresh: String(againAfter) }),
    },
  };
}
