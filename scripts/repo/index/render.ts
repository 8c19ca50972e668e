import { citationsOf } from './citations.ts';
import { anchorOf, type Operation, operationKey } from './contract.ts';
import { type IndexedFile, isTest, type Repository } from './repository.ts';

/** The page `docs/index.md`. */
export function renderIndex(repository: Repository): string {
  const { clauses, operations } = repository.contract;
  const chapters = [...clauses.keys()].filter((clause) => operations.some((each) => each.clause === clause));
  return `# Index

Where each clause of the [contract](contract.md) is served and tested. \`npm run index\` writes this page from the routes, from
the § in comments and from the titles of tests; lint refuses an old one. Do not edit it.

Each row names one test, to begin with. To find all code and tests of a clause, search for its number: \`git grep '§5\\.9'\`.

## Operations
${chapters.map((clause) => `\n### ${headingOf(repository, clause)}\n\n${operationTable(repository, clause)}\n`).join('')}
## Rules

${table(['Clause', 'Code', 'Test'], ruleRows(repository))}
`;
}

function operationTable(repository: Repository, clause: string): string {
  const rows = new Map<string, string[]>();
  for (const operation of repository.contract.operations.filter((each) => each.clause === clause)) {
    const served = repository.routes.find(({ route }) => operationKey(route) === operationKey(operation));
    // The rows of the payment types differ in nothing but their name.
    if (served === undefined || rows.has(operation.written)) continue;
    const test = testOf(repository, operation, served.service);
    rows.set(operation.written, [
      `\`${operation.method} ${operation.written}\``,
      fileLink(served.file),
      fileLink(served.useCase),
      fileLink(test),
    ]);
  }
  return table(['Operation', 'Route', 'Use case', 'Test'], [...rows.values()]);
}

/** The test that names an operation most often; where none does, the one of its service that cites its clause most often. */
function testOf(repository: Repository, operation: Operation, service: string): string | undefined {
  const key = nameKey(`${operation.method} ${operation.path}`);
  const naming = ({ titles }: IndexedFile): number =>
    titles.filter((title) => nameKey(title).includes(key)).length;
  const own = repository.files.filter(({ path }) => path.startsWith(`services/${service}/test/`));
  return (
    best(own, naming) ??
    best(repository.files, naming) ??
    best(own, (file) => citedInTitles(file, operation.clause))
  );
}

/** An operation as titles write it, parameters by any name; closed, so that no longer path matches. */
function nameKey(text: string): string {
  return `${text.replace(/\{[^}]*\}|:\w+/g, '{}')} `.replace(/[:(),;]/g, ' ');
}

const citedInTitles = ({ titles }: IndexedFile, clause: string): number =>
  titles.filter((title) => citationsOf(title).includes(clause)).length;

function ruleRows(repository: Repository): string[][] {
  const sources = repository.files.filter(({ path }) => /\.(ts|proto|prisma)$/.test(path));
  return [...repository.contract.clauses.keys()].flatMap((clause) => {
    const code = best(sources, ({ path, citations }) =>
      isTest(path) || !citations.includes(clause) ? 0 : 1 / citations.length,
    );
    const test = best(sources, (file) => citedInTitles(file, clause));
    if (code === undefined && test === undefined) return [];
    return [[headingOf(repository, clause), fileLink(code), fileLink(test)]];
  });
}

/** The path of the file that scores highest; of equals the first; none that scores 0. */
function best(files: readonly IndexedFile[], score: (file: IndexedFile) => number): string | undefined {
  let found: { path: string; points: number } | undefined;
  for (const file of files) {
    const points = score(file);
    if (points > (found?.points ?? 0)) found = { path: file.path, points };
  }
  return found?.path;
}

const headingOf = ({ contract }: Repository, clause: string): string =>
  `[${clause}](contract.md#${anchorOf(clause)}) ${contract.clauses.get(clause)}`;

const fileLink = (path: string | undefined): string =>
  path === undefined ? '' : `[${path.split('/').at(-1)}](../${path})`;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
