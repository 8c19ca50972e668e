import type { Language } from '@kontoport/errors';
import { escapeHtml } from '@kontoport/http';
import type { Html } from './html.ts';
import { STYLE, STYLE_SOURCE } from './style.ts';

/** A page for the bank's users. */
export interface Page {
  language: Language;
  /** The heading, and the title of the browser's tab. */
  title: string;
  /** Follows the heading. */
  body: Html;
  /** An absolute URL to which the browser goes at once. */
  onwards?: string;
  /** Seconds after which the browser reloads the page. */
  reloadAfter?: number;
}

/**
 * Allows no script, no foreign resource, no form to another site, no frame and no opener. Browsers apply `form-action` to every
 * redirect after a form, the TPP's own included, so no form is answered with a redirect to another site.
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

/** Renders a page and its headers. */
export function renderPage({ language, title, body, onwards, reloadAfter }: Page): {
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
      ...(reloadAfter !== undefined && { refresh: String(reloadAfter) }),
    },
  };
}
