const NUMBER = String.raw`\d+(?:\.\d+)*`;
/** `§6.1.3 (a)(2)`, and what goes on with it: `, §6.1.5`, ` and §10`, `, (c)`. */
const SECTION = String.raw`§ ?${NUMBER}(?:(?:,| to|–)? ?\([a-z]\)(?:\(\d\))?)*`;
const FOREIGN = new RegExp(
  String.raw`\b(?:RFC \d+|X\.\d+|(?:ETSI )?(?:EN|TS|TR) \d[\d -]*\d|ISO [\d-]+),? ${SECTION}(?:(?:,|,? and| to|–) ${SECTION})*`,
  'g',
);
const OWN = new RegExp(String.raw`§ ?(${NUMBER}|Sandbox\b)(?:(?:–| to )§?(${NUMBER}))?`, 'g');

/** An example of a citation, shown in code marks: no citation itself. */
const EXAMPLE = /`(?:contract )?§[^`\n]*`/g;

/** Comment signs at the beginning of lines, so that a citation may be broken over two of them. */
const LINE_START = /\n[ \t]*(?:\*(?!\/)|\/\/+|--|#+|\/\*\*?)?[ \t]*/g;

/**
 * The clauses of the contract that a text cites, each once: `§4.3` or `§Sandbox`, of a range both ends. What follows the
 * name of another document (`RFC 5280 §4.2.1, §6`) is that document's.
 */
export function citationsOf(text: string): string[] {
  const own = text.replace(EXAMPLE, '').replace(LINE_START, ' ').replace(FOREIGN, '');
  const cited = [...own.matchAll(OWN)].flatMap(([, from, to]) => (to === undefined ? [from] : [from, to]));
  return [...new Set(cited.map((number) => `§${number}`))];
}

const TITLE =
  /\b(?:describe|it|test)(?:\.each\b[^]*?\]\))?\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** The titles of a test file's suites and tests. */
export function titlesOf(source: string): string[] {
  return [...source.matchAll(TITLE)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}
