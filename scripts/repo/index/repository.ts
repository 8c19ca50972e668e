import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { citationsOf, titlesOf } from './citations.ts';
import { type Contract, readContract } from './contract.ts';
import { routesOfServices, type ServiceRoute } from './service-routes.ts';

export const CONTRACT_FILE = 'docs/contract.md';
export const INDEX_FILE = 'docs/index.md';

/** A file of the repository as the index sees it. */
export interface IndexedFile {
  /** From the repository's root. */
  path: string;
  text: string;
  /** Clauses that it cites; of a test file also those in its titles. */
  citations: readonly string[];
  /** The titles of a test file. */
  titles: readonly string[];
}

/** Everything that the index is made from and checked against. */
export interface Repository {
  root: string;
  contract: Contract;
  files: readonly IndexedFile[];
  routes: readonly ServiceRoute[];
}

const FILES =
  '{README.md,CONTRIBUTING.md,CHANGELOG.md,SECURITY.md,CODE_OF_CONDUCT.md,{docker,docs,libs,proto,scripts,services}/**/*.{ts,mjs,md,json,proto,prisma,sql,yaml}}';
const LEFT_OUT = new Set(['node_modules', 'gen', 'dist', 'coverage', '.local']);
/** They hold citations on purpose. */
const ABOUT_CITATIONS = /^scripts\/repo\/(index\/|test\/index-docs\.test\.ts$)/;

/** Reads what the index is about. */
export async function readRepository(root: string): Promise<Repository> {
  const paths = globSync(FILES, { cwd: root, exclude: (name) => LEFT_OUT.has(name.split('/').at(-1)!) });
  const files = paths
    .filter((path) => path !== INDEX_FILE && !ABOUT_CITATIONS.test(path))
    .toSorted()
    .map((path) => readIndexedFile(root, path));
  const contract = readContract(readFileSync(join(root, CONTRACT_FILE), 'utf8'));
  return { root, contract, files, routes: await routesOfServices(root) };
}

function readIndexedFile(root: string, path: string): IndexedFile {
  const text = readFileSync(join(root, path), 'utf8');
  const titles = isTest(path) ? titlesOf(text) : [];
  return { path, text, citations: citationsOf(text), titles };
}

/** Whether a file belongs to the tests. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || /\/test\//.test(path);
}

/** Whether a relative link of a page leads somewhere, anchor included. */
function leadsSomewhere(repository: Repository, from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  // This program writes that page.
  if (target === INDEX_FILE) return true;
  if (!existsSync(join(repository.root, target))) return false;
  if (anchor === undefined || !target.endsWith('.md')) return true;
  const page = repository.files.find((file) => file.path === target);
  return page === undefined || anchorsOf(page.text).has(anchor);
}

function anchorsOf(page: string): Set<string> {
  const given = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!);
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...given, ...headings]);
}

/** Pages of a file that are cited and do not exist. */
export function absentPages(
  repository: Repository,
  { path, text }: Pick<IndexedFile, 'path' | 'text'>,
): string[] {
  // An applied migration never changes: its comments keep former numbers, which docs/adr/README.md explains.
  const decisions = path.endsWith('migration.sql')
    ? []
    : [...text.matchAll(/\bADR[- ](\d+)\b/g)]
        .map(([cited, number]) => ({ cited, file: `docs/adr/${number}-` }))
        .filter(({ cited, file }) => !repository.files.some(({ path: page }) => isCitedAs(cited, page, file)))
        .map(({ cited }) => cited);
  const links = path.endsWith('.md')
    ? [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
        .map(([, link]) => link!)
        .filter((link) => !leadsSomewhere(repository, path, link))
    : [];
  const files = [...text.matchAll(FILE_NAME)]
    .map(([, name]) => name!)
    .filter((name) => !isFileOf(repository, path, name));
  return [...new Set([...decisions, ...links, ...files])];
}

/** A decision is cited as `ADR-0012`, by the number in the name of its file. */
function isCitedAs(cited: string, page: string, file: string): boolean {
  return /^ADR-\d{4}$/.test(cited) && page.startsWith(file);
}

/** A file's name with its folder, in code marks. */
const FILE_NAME = /`((?:\.{0,2}[\w@-]+\/)+[\w.-]+\.(?:ts|mjs|md|json|yaml|proto|prisma|sql))`/g;

/** Whether a named file is there: from the root, from where it is named, or in the workspace; `src/…` is any service's. */
function isFileOf({ root, files }: Repository, from: string, name: string): boolean {
  const workspace = from.split('/').slice(0, 2).join('/');
  if (['', dirname(from), workspace].some((base) => existsSync(join(root, base, name)))) return true;
  return files.some(({ path }) => path.startsWith('services/') && path.endsWith(`/${name}`));
}
