import { createHash } from 'node:crypto';
import type { ApiError, Text } from '@kontoport/errors';
import { type ErrorPage, escapeHtml } from '@kontoport/http';
import { APPROVAL_TEXTS } from './texts.ts';

const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { box-sizing: border-box; max-width: 36rem; padding: 1.5rem; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.75rem; }
p { margin: 0; }
`;

/** No script, no foreign resource, no frame around it, and the style below. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page of a refusal, for a person: one heading, one sentence. */
export const approvalErrorPage: ErrorPage = ({ error, language }) => {
  const words = wordsFor(error);
  const title = escapeHtml(words.title.in(language));
  return {
    headers: { 'content-security-policy': POLICY },
    html: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${escapeHtml(words.text.in(language))}</p>
</main>
</body>
</html>
`,
  };
};

function wordsFor(error: ApiError): { title: Text; text: Text } {
  if (error.status === 404)
    return { title: APPROVAL_TEXTS('link-invalid-title'), text: APPROVAL_TEXTS('link-invalid') };
  if (error.code === 'UNAVAILABLE')
    return { title: APPROVAL_TEXTS('away-title'), text: APPROVAL_TEXTS('away') };
  return { title: APPROVAL_TEXTS('failed-title'), text: error.text };
}
