// What a migration does to those who use the database meanwhile: the version before it runs on, on a table that may be large.

/** What a statement, or an action of an ALTER TABLE, looks like, and why it is refused. */
interface Rule {
  pattern: RegExp;
  why: string;
}

const READS = 'reads the whole table while nobody uses it';
const INDEXES = 'it builds an index while nobody uses the table';
const IN_USE = 'the version before still uses it, or is slow without it: take away a release later';
const COLUMN =
  'ADD (?:COLUMN )?(?:IF NOT EXISTS )?(?!(?:COLUMN|CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)\\b)';
const ALTER = 'ALTER (?:COLUMN )?(?!COLUMN\\b)\\w+';
const CONSTRAINT = 'ADD (?:CONSTRAINT \\w+ )?';

const rule = (text: string, why: string): Rule => ({ pattern: new RegExp(`^${text}`, 'i'), why });

/** Of actions on a table that was there before. */
const ACTIONS: readonly Rule[] = [
  rule(
    `${CONSTRAINT}(?:CHECK|FOREIGN KEY)\\b(?!.*NOT VALID)`,
    `ADD CONSTRAINT ${READS}: add it NOT VALID, and VALIDATE it in the next migration`,
  ),
  rule(`${CONSTRAINT}(?:UNIQUE|PRIMARY KEY|EXCLUDE)\\b(?!.*USING INDEX)`, INDEXES),
  rule(`${COLUMN}.*\\b(?:UNIQUE|PRIMARY KEY)\\b`, INDEXES),
  rule(
    `${COLUMN}.*\\b(?:CHECK|REFERENCES)\\b`,
    `a constraint of a new column ${READS}: add it NOT VALID afterwards`,
  ),
  rule(
    `${COLUMN}(?=.*\\bNOT NULL\\b)(?!.*\\bDEFAULT\\b)`,
    'neither the rows that are there nor the version before give it a value: it needs a DEFAULT',
  ),
  // PostgreSQL keeps what is the same for all rows, as now() is, beside the table.
  rule(
    `${COLUMN}(?:.*\\bGENERATED\\b|\\w+ \\w*serial\\d?\\b|.*\\bDEFAULT (?!now\\(\\)).*\\w ?\\()`,
    'a value for each row rewrites the whole table',
  ),
  rule(`${ALTER} (?:SET DATA )?TYPE\\b`, 'another type rewrites the whole table'),
  rule(`${ALTER} SET NOT NULL`, `SET NOT NULL ${READS}`),
  rule('DROP (?!CONSTRAINT\\b)', IN_USE),
  rule('RENAME ', IN_USE),
  rule(
    `(?!(?:ADD|DROP|RENAME|VALIDATE CONSTRAINT) |${ALTER} (?:(?:SET|DROP) (?:DEFAULT|NOT NULL)|(?:SET DATA )?TYPE)\\b)`,
    'nobody has said what this action does to others',
  ),
];

/** Of statements that are not about one table alone, or change none. */
const STATEMENTS: readonly Rule[] = [
  rule('(?:UPDATE|DELETE FROM)\\b(?!.*\\bWHERE\\b)', 'it keeps every row of the table until it ends'),
  rule(
    '(?!(?:CREATE (?:UNLOGGED )?TABLE|CREATE (?:TYPE|VIEW)|INSERT INTO|UPDATE|DELETE FROM|COMMENT ON|SET) )',
    'nobody has said what this statement does to others',
  ),
];

/** The statements of a migration, each on one line, without comments, what texts say, quotes and the schema. */
const statementsOf = (sql: string): string[] =>
  sql
    .replaceAll(/--.*$|\/\*[^]*?\*\/|'(?:[^']|'')*'/gm, (found) => (found.startsWith("'") ? "''" : ' '))
    .replaceAll('"', '')
    .replaceAll(/\bpublic\s*\.\s*/gi, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');

/** The parts of a list; commas within parentheses are none between two. */
function partsOf(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of list) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
}

const whysOf = (text: string, rules: readonly Rule[]): string[] =>
  rules.filter(({ pattern }) => pattern.test(text)).map(({ why }) => why);

/** What of a migration holds others up, or takes from the version before what it uses: `statement: why` each. */
export function holdsIn(sql: string): string[] {
  /** Nobody else uses a table that the migration itself has made. */
  const made = new Set<string>();
  const added = new Set<string>();

  const whysOfAction = (action: string): string[] => {
    const name = /^ADD CONSTRAINT (\w+) .*NOT VALID/i.exec(action)?.[1];
    if (name !== undefined) added.add(name);
    const validated = /^VALIDATE CONSTRAINT (\w+)/i.exec(action)?.[1];
    return validated !== undefined && added.has(validated)
      ? [
          'what has added the constraint holds the table until the migration ends: validate it in the next one',
        ]
      : whysOf(action, ACTIONS);
  };

  const whysOfStatement = (statement: string): string[] => {
    const own = /^CREATE (?:UNLOGGED )?TABLE (?!IF )(\w+)/i.exec(statement)?.[1];
    if (own !== undefined) made.add(own);
    const altered = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+) (.*)$/i.exec(statement);
    if (altered !== null) return made.has(altered[1]!) ? [] : partsOf(altered[2]!).flatMap(whysOfAction);
    const indexed = /^CREATE (?:UNIQUE )?INDEX .*?\bON (?:ONLY )?(\w+)/i.exec(statement)?.[1];
    if (indexed !== undefined)
      return made.has(indexed) ? [] : ['CREATE INDEX lets nobody write to the table until it is built'];
    const dropped = /^DROP \w+ (?:IF EXISTS )?(.*?)(?: CASCADE| RESTRICT)?$/i.exec(statement)?.[1];
    if (dropped !== undefined) return partsOf(dropped).every((name) => made.has(name)) ? [] : [IN_USE];
    return whysOf(statement, STATEMENTS);
  };

  return statementsOf(sql).flatMap((statement) =>
    [...new Set(whysOfStatement(statement))].map((why) => `${statement}: ${why}`),
  );
}
