import { basename } from 'node:path';
import { citationsOf } from './citations.ts';
import { anchorOf, type Operation, operationKey } from './contract.ts';
import { type IndexedFile, isTest, type Repository } from './repository.ts';
import type { ServiceRoute } from './service-routes.ts';

/** The page `docs/index.md`. */
export function renderIndex(repository: Repository): string {
  const { clauses, operations } = repository.contract;
  const chapters = [...clauses.keys()].filter((clause) => operations.some((each) => each.clause === clause));
  return `# Index

Where each clause of the [contract](contract.md) is served and tested. \`npm run index\` writes this page from the routes, from
the § in comments and from the titles of tests; lint refuses an old one. Do not edit it.

Each operation has its route, its use case and one test. Each rule has the two files that cite it most, and one test. To find all
code and tests of a clause, search for its number: \`git grep '§5\\.9'\`.

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
    const name = `${operation.method} ${operation.written}`;
    // The rows of the payment types differ in nothing but their name.
    if (served === undefined || rows.has(name)) continue;
    const test = testOf(repository, operation, served);
    rows.set(name, [`\`${name}\``, fileLink(served.file), fileLink(served.useCase), fileLink(test)]);
  }
  return table(['Operation', 'Route', 'Use case', 'Test'], [...rows.values()]);
}

/**
 * Finds the test whose titles name an operation most often. Without one: the service's test that is named after the file of the
 * routes; for a route of a lib the test of the lib that names the path; the service's test that cites the clause most often.
 */
function testOf(
  repository: Repository,
  operation: Operation,
  { service, file }: ServiceRoute,
): string | undefined {
  const key = nameKey(`${operation.method} ${operation.path}`);
  const naming = ({ titles }: IndexedFile): number =>
    titles.filter((title) => nameKey(title).includes(key)).length;
  const testsOf = (workspace: string): IndexedFile[] =>
    repository.files.filter(({ path }) => path.startsWith(`${workspace}/test/`) && path.endsWith('.ts'));
  const own = testsOf(`services/${service}`);
  const lib = file?.match(/^libs\/[^/]+/)?.[0];
  return (
    best(own, naming) ??
    best(repository.files, naming) ??
    own.find((each) => isNamedAfter(each, file) && each.text.includes(lastWordOf(operation)))?.path ??
    best(lib === undefined ? [] : testsOf(lib), requestsOf(operation)) ??
    best(own, (each) => citedInTitles(each, operation.clause))
  );
}

/** Whether a test is named after a file of routes: `replay.test.ts` or `replays.test.ts` after `replays.routes.ts`. */
function isNamedAfter({ path }: IndexedFile, file: string | undefined): boolean {
  const stemOf = (name: string): string => basename(name).replace(/s?\.(?:routes|test)\.ts$/, '');
  return file !== undefined && path.endsWith('.test.ts') && stemOf(path) === stemOf(file);
}

/** Returns the last part of a path that is no parameter. */
const lastWordOf = ({ path }: Operation): string => path.split('/').findLast((part) => !/^[:{]/.test(part))!;

/** Counts how often a test names a path, whatever the values of its parameters. */
function requestsOf({ path }: Operation): (test: IndexedFile) => number {
  const literal = path.replaceAll('.', String.raw`\.`).replaceAll(/\{[^}]*\}|:\w+/g, String.raw`[\w-]+`);
  const requested = new RegExp(`['"\`]${literal}['"\`?]`, 'g');
  return ({ text }) => [...text.matchAll(requested)].length;
}

/** An operation as titles write it, parameters by any name; closed, so that no longer path matches. */
function nameKey(text: string): string {
  return `${text.replace(/\{[^}]*\}|:\w+/g, '{}')} `.replace(/[:(),;]/g, ' ');
}

const citedInTitles = ({ titles }: IndexedFile, clause: string): number =>
  titles.filter((title) => citationsOf(title).includes(clause)).length;

function ruleRows(repository: Repository): string[][] {
  const sources = repository.files.filter(({ path }) => /^(?:services|libs)\/.*\.ts$/.test(path));
  const code = sources.filter(({ path }) => path.includes('/src/') && !isTest(path));
  return [...repository.contract.clauses.keys()].flatMap((clause) => {
    const [first, second] = rank(code, (file) => timesCited(file, clause) * weightOf(file.path));
    const test = best(sources, (file) => citedInTitles(file, clause));
    if (first === undefined && test === undefined) return [];
    return [[headingOf(repository, clause), [first, second].map(fileLink).join(' '), fileLink(test)]];
  });
}

/** The number of times that a file cites a clause, and all the clauses that it cites. */
function timesCited({ text, citations }: IndexedFile, clause: string): number {
  if (!citations.includes(clause)) return 0;
  const cited = new RegExp(`${clause.replaceAll('.', String.raw`\.`)}(?![.\\d]*\\d)`, 'g');
  return [...text.matchAll(cited)].length / citations.length;
}

/** A rule is in a model or at the wire, rather than where it is used. */
const weightOf = (path: string): number =>
  path.endsWith('.model.ts') ? 3 : path.endsWith('.wire.ts') ? 2 : 1;

/** The paths of the files that score, the highest first; of equals in their order. */
function rank(files: readonly IndexedFile[], score: (file: IndexedFile) => number): string[] {
  return files
    .map((file) => ({ path: file.path, points: score(file) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .map(({ path }) => path);
}

/** The path of the file that scores highest; of equals the first; none that scores 0. */
const best = (files: readonly IndexedFile[], score: (file: IndexedFile) => number): string | undefined =>
  rank(files, score)[0];

const headingOf = ({ contract }: Repository, clause: string): string =>
  `[${clause}](contract.md#${anchorOf(clause)}) ${contract.clauses.get(clause)}`;

const fileLink = (path: string | undefined): string =>
  path === undefined ? '' : `[${path.split('/').at(-1)}](../${path})`;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
