import { ERROR_CODES, type ErrorCode, type Language } from '@kontoport/errors';
import { exampleOf, explanationLabels, statusWords } from '@kontoport/http/errors';
import type { Blocks } from './keep-page.ts';

/** The path of the page in a language. */
export const errorsFile = (language: Language): string =>
  language === 'en' ? 'docs/errors.md' : `docs/errors/${language}.md`;

/** Every errorCode with its statuses, cause, cure and an example, in a language. */
export function errorsBlocks(language: Language): Blocks {
  const labels = explanationLabels(language);
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => {
    const { cause, cure } = ERROR_CODES[code];
    return `## ${code}

${statusWords(code)}

- **${labels.cause}:** ${cause[language]}
- **${labels.cure}:** ${cure[language]}

\`\`\`json
${JSON.stringify(exampleOf(code, language), null, 2)}
\`\`\``;
  });
  return { codes: codes.join('\n\n') };
}
