import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { ERROR_CODES, type ErrorCode } from '@kontoport/errors';
import { problemType, statusesOf } from '@kontoport/http/errors';

const ERRORS_FILE = 'docs/errors.md';

const INTRODUCTION = `# Errors

<!-- Written by \`npm run index\` from libs/errors/src/error-codes.ts. -->

Every errorCode of the interface ([§7](contract.md#s7)): a closed list, on which callers may switch; the message is for people,
in their language. Every address serves this list at \`/errors\`, and each code at its own path, to which the \`type\` of a problem
leads. The path is relative to the address that was called: a reference that works in every environment, with no host name that
could be another's one day (RFC 9457 §3.1.1).
`;

/** docs/errors.md: every errorCode with its statuses, cause, cure and an example. */
export function renderErrors(): string {
  return [INTRODUCTION, ...(Object.keys(ERROR_CODES) as ErrorCode[]).map(renderCode)].join('\n');
}

function renderCode(code: ErrorCode): string {
  const { cause, cure } = ERROR_CODES[code];
  const statuses = statusesOf(code).map((status) => `${status} ${STATUS_CODES[status]}`);
  const example = {
    type: problemType(code),
    title: STATUS_CODES[ERROR_CODES[code].status],
    status: ERROR_CODES[code].status,
    detail: cause.en,
    errorCode: code,
    message: cause.en,
    requestId: '3b9f7c52-7a51-4f0e-9a34-5a0a3d1c2b4e',
  };
  return `## ${code}

Status: ${statuses.join(', ')}

- **Cause:** ${cause.en}
- **Cure:** ${cure.en}

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`
`;
}

/** Writes the page, or with `check` compares it; returns what is wrong, a sentence each. */
export function errorsPage(root: string, { check }: { check: boolean }): string[] {
  const file = join(root, ERRORS_FILE);
  const text = renderErrors();
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return [];
  if (check) return [`${ERRORS_FILE} is old: npm run index`];
  writeFileSync(file, text);
  return [];
}
