import { ERROR_CODES, type ErrorCode, type Language, LANGUAGES } from '@kontoport/errors';
import { exampleOf, explanationLabels, statusWords } from '@kontoport/http/errors';
import { ERRORS_INTRODUCTIONS, LANGUAGE_NAMES } from './errors-texts.ts';
import { keepPage } from './keep-page.ts';

/** Where the page in a language lies. */
export const errorsFile = (language: Language): string =>
  language === 'en' ? 'docs/errors.md' : `docs/errors/${language}.md`;

/** A page as it is called from another. */
function linkTo(language: Language, from: Language): string {
  const name = LANGUAGE_NAMES[language];
  if (language === from) return name;
  if (from === 'en') return `[${name}](errors/${language}.md)`;
  return `[${name}](${language === 'en' ? '../errors.md' : `${language}.md`})`;
}

/** Every errorCode with its statuses, cause, cure and an example, in a language. */
export function renderErrors(language: Language): string {
  const contract = `${language === 'en' ? '' : '../'}contract.md#s7`;
  const introduction = `# ${explanationLabels(language).title}

<!-- Written by \`npm run index\` from libs/errors/src/error-codes.ts. -->

${LANGUAGES.map((other) => linkTo(other, language)).join(' · ')}

${ERRORS_INTRODUCTIONS[language](`[§7](${contract})`)}
`;
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return [introduction, ...codes.map((code) => renderCode(code, language))].join('\n');
}

function renderCode(code: ErrorCode, language: Language): string {
  const { cause, cure } = ERROR_CODES[code];
  const labels = explanationLabels(language);
  return `## ${code}

${statusWords(code)}

- **${labels.cause}:** ${cause[language]}
- **${labels.cure}:** ${cure[language]}

\`\`\`json
${JSON.stringify(exampleOf(code, language), null, 2)}
\`\`\`
`;
}

/** Writes the page of each language, or with `check` compares them; returns what is wrong, a sentence each. */
export function errorsPages(root: string, { check }: { check: boolean }): string[] {
  return LANGUAGES.flatMap((language) =>
    keepPage({ root, file: errorsFile(language), text: renderErrors(language), check }),
  );
}
