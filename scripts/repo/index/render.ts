import { clausesOf } from './check.ts';
import { citationsOf } from './citations.ts';
import { anchorOf, operationKey } from './contract.ts';
import { type IndexedFile, isTest, type Repository } from './repository.ts';
import type { ServiceRoute } from './service-routes.ts';

/** The page `docs/index.md`. */
export function renderIndex(repository: Repository): string {
  return `# Index

From a clause of the [contract](contract.md) to what serves it. Made by \`npm run index\` from the routes' own data, from the
§ in comments and from the titles of tests; the lint step refuses it when it is old. Nobody edits it.

## Operations

${table(['Clause', 'Operation', 'Route', 'Use case', 'Tests'], operationRows(repository))}

## Clauses

Where each clause is cited: code at the place of a rule, tests in their titles.

${table(['Clause', 'Code', 'Tests'], clauseRows(repository))}

## Not yet

Promised in the contract and not built. The list is [scripts/repo/index/not-yet.ts](../scripts/repo/index/not-yet.ts).

${table(['Clause', 'What', 'Operations'], notYetRows(repository))}
`;
}

function operationRows(repository: Repository): string[][] {
  const rows = repository.contract.operations.flatMap((operation) =>
    repository.routes
      .filter(({ route }) => operationKey(route) === operationKey(operation))
      .map((served) => [
        clausesOf(repository, served).map(clauseLink).join(', '),
        `\`${operation.method} ${operation.path}\``,
        served.file === undefined ? '' : fileLink(served.file),
        served.uses.map(fileLink).join(', '),
        testsOf(repository, served, `${operation.method} ${operation.path}`).map(fileLink).join(', '),
      ]),
  );
  // What every address serves stands once.
  return [...new Map(rows.map((row) => [row.join('|'), row])).values()];
}

/**
 * Tests whose titles name the operation; where none does, those that go through the service's door and whose titles cite
 * its clauses.
 */
function testsOf(repository: Repository, served: ServiceRoute, name: string): string[] {
  const tests = repository.files.filter((file) => file.titles.length > 0);
  const key = nameKey(name);
  const naming = tests.filter(({ titles }) => titles.some((title) => nameKey(title).includes(key)));
  const clauses = clausesOf(repository, served);
  const citing = tests
    .filter(({ path }) => path.startsWith(`services/${served.service}/test/`))
    .filter((file) => citedInTitles(file).some((cited) => clauses.includes(cited)));
  return (naming.length > 0 ? naming : citing).map(({ path }) => path);
}

/** An operation's name as titles write it, parameters by any name; closed, so that no longer path is taken for it. */
function nameKey(text: string): string {
  return `${text.replace(/\{[^}]*\}|:\w+/g, '{}')} `.replace(/[:(),;]/g, ' ');
}

function citedInTitles({ titles }: IndexedFile): string[] {
  return titles.flatMap(citationsOf);
}

function clauseRows(repository: Repository): string[][] {
  const sources = repository.files.filter(({ path }) => /\.(ts|proto|prisma)$/.test(path));
  return [...repository.contract.clauses].map(([clause, title]) => [
    `${clauseLink(clause)} ${title}`,
    sources
      .filter(({ path, citations }) => !isTest(path) && citations.includes(clause))
      .filter(({ path }) => !path.endsWith('/migrated.prisma'))
      .map(({ path }) => fileLink(path))
      .join(', '),
    sources
      .filter((file) => citedInTitles(file).includes(clause))
      .map(({ path }) => fileLink(path))
      .join(', '),
  ]);
}

function notYetRows({ notYet }: Repository): string[][] {
  return notYet.map(({ clause, promise, operations = [] }) => [
    clauseLink(clause),
    promise,
    operations.map((name) => `\`${name}\``).join(', '),
  ]);
}

function clauseLink(clause: string): string {
  return `[${clause}](contract.md#${anchorOf(clause)})`;
}

/** Short to read: the service or lib, and the file. */
function fileLink(path: string): string {
  const parts = path.split('/');
  return `[${parts[1]}/${parts.at(-1)}](../${path})`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
