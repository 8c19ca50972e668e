import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, LANGUAGES, placeholdersOf, ruleOf, type Template } from '@kontoport/errors';
import { type IndexedRoute, routesOfServices } from '../index/service-routes.ts';

const root = join(import.meta.dirname, '../../..');

/** A catalogue of `defineTexts`. */
interface Catalogue {
  all: Readonly<Record<string, string | Template>>;
}

const isCatalogue = (value: unknown): value is Catalogue => typeof value === 'function' && 'all' in value;

const FILES = globSync('{libs,services,scripts,scripts/*}/*/src/**/*texts.ts', { cwd: root }).toSorted();

const catalogues = await Promise.all(
  FILES.map(async (file) => {
    const exported = (await import(join(root, file))) as Record<string, unknown>;
    return { file, catalogues: Object.values(exported).filter(isCatalogue) };
  }),
);
const texts: [string, Template][] = [
  ...catalogues.flatMap(({ file, catalogues: found }) =>
    found.flatMap(({ all }) =>
      Object.entries(all).flatMap(([rule, text]): [string, Template][] =>
        typeof text === 'string' ? [] : [[`${file} ${rule}`, text]],
      ),
    ),
  ),
  ...Object.entries(ERROR_CODES).flatMap(([code, { cause, cure }]): [string, Template][] => [
    [`the cause of ${code}`, cause],
    [`the cure of ${code}`, cure],
  ]),
];

/** Whether a sentence has words besides its values and code. */
const hasWords = (sentence: string): boolean => /\p{L}/u.test(sentence.replaceAll(/`[^`]*`|\{[^}]*\}/g, ''));

describe('a translated text (§7)', () => {
  it.each(texts)('%s has every language, with the same values in each', (_rule, text) => {
    expect(Object.keys(text).toSorted()).toEqual([...LANGUAGES].toSorted());
    for (const language of LANGUAGES) {
      const sentence = text[language];
      expect(sentence).toMatch(/^\S(.*\S)?$/);
      expect(placeholdersOf(sentence)).toEqual(placeholdersOf(text.en));
      // A sentence ends as the English one does: whole, or after a path.
      expect(sentence.endsWith('.')).toBe(text.en.endsWith('.'));
    }
    const translations = LANGUAGES.filter((language) => language !== 'en').map((language) => text[language]);
    expect(hasWords(text.en) && translations.includes(text.en)).toBe(false);
  });

  it('stands in a file that this test finds', () => {
    const sources = globSync('{libs,services,scripts,scripts/*}/*/src/**/*.ts', { cwd: root }).filter(
      (file) => !file.endsWith('.test.ts') && !file.includes('/gen/') && file !== 'libs/errors/src/text.ts',
    );
    const defining = sources.filter((file) =>
      readFileSync(join(root, file), 'utf8').includes('= defineTexts('),
    );
    expect(defining.toSorted()).toEqual(
      catalogues.filter(({ catalogues: found }) => found.length > 0).map(({ file }) => file),
    );
  });
});

/** The part of a zod schema, or of a check of one, that this test reads. */
interface Part {
  _zod: { def: Record<string, unknown> & { error?: (issue: object) => unknown } };
}

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && '_zod' in value;

/** A schema with all that it consists of, checks included. */
function partsOf(value: unknown, found = new Set<Part>()): Set<Part> {
  if (Array.isArray(value)) for (const element of value) partsOf(element, found);
  else if (isPart(value) && !found.has(value)) {
    found.add(value);
    for (const [name, inner] of Object.entries(value._zod.def))
      if (name === 'shape') partsOf(Object.values(inner as object), found);
      else partsOf(inner, found);
  }
  return found;
}

/** The sentences that a schema has for its faults, besides those of zod. */
function sentencesOf(schema: unknown): string[] {
  return [...partsOf(schema)].flatMap(({ _zod: { def } }) => {
    const said = typeof def.error === 'function' ? def.error({ code: 'custom', input: 0 }) : undefined;
    return typeof said === 'string' ? [said] : [];
  });
}

type Shapes = IndexedRoute & {
  params?: unknown;
  query?: unknown;
  body?: { json?: unknown; form?: unknown };
};

describe('the rules of a request', () => {
  it('are said by a text, whatever the route', async () => {
    const routes = await routesOfServices(root);
    const said = routes.flatMap(({ service, route }) => {
      const { params, query, body } = route as Shapes;
      const sentences = sentencesOf([params, query, body?.json, body?.form].filter(isPart));
      return sentences.map((sentence) => ({ route: `${service}: ${route.method} ${route.path}`, sentence }));
    });
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter(({ sentence }) => ruleOf(sentence) === undefined)).toEqual([]);
  });
});

describe('a comment (docs/style.md)', () => {
  it('does not begin a line with What, Who or Whoever', () => {
    const files = globSync('{docker,libs,proto,scripts,services}/**/*.{mjs,prisma,proto,ts}', {
      cwd: root,
      exclude: (name) => ['node_modules', 'gen', 'dist'].includes(name),
    });
    expect(files.length).toBeGreaterThan(0);
    const places = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          /^\s*(\/\/+|\/?\*+) *(What|Who|Whoever)\b/.test(line) ? [`${file}:${at + 1}`] : [],
        ),
    );
    expect(places).toEqual([]);
  });
});
