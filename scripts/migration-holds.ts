// What a migration does to those who use the database meanwhile: the version before it runs on, on a table that may be large.

/** A rule: what a statement looks like, and why it is refused. The first group is the table. */
interface Rule {
  pattern: RegExp;
  why: string;
}

const NAME = '"?(\\w+)"?';
const ALTER = `ALTER TABLE (?:IF EXISTS )?(?:ONLY )?${NAME}`;
/** One action of an ALTER TABLE: commas within parentheses are none between two. */
const action = (text: string): RegExp => new RegExp(`^${ALTER} (?:.*, ?)?${text}`, 'i');

const RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `^${ALTER} (?:.*, ?)?ADD (?:CONSTRAINT \\S+ )?(?:CHECK|FOREIGN KEY)(?!.*NOT VALID)`,
      'i',
    ),
    why: 'ADD CONSTRAINT reads the whole table while nobody uses it: add it NOT VALID, and VALIDATE it in the next migration',
  },
  {
    pattern: new RegExp(
      `^${ALTER} (?:.*, ?)?ADD (?:CONSTRAINT \\S+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)(?!.*USING INDEX)`,
      'i',
    ),
    why: 'it builds an index while nobody uses the table',
  },
  {
    pattern: new RegExp(`^CREATE (?:UNIQUE )?INDEX .*?\\bON (?:ONLY )?${NAME}`, 'i'),
    why: 'CREATE INDEX lets nobody write to the table until it is built',
  },
  {
    pattern: action('ALTER (?:COLUMN )?\\S+ (?:SET DATA )?TYPE'),
    why: 'another type rewrites the whole table',
  },
  {
    pattern: action('ALTER (?:COLUMN )?\\S+ SET NOT NULL'),
    why: 'SET NOT NULL reads the whole table while nobody uses it',
  },
  {
    pattern: action('(?:DROP (?:COLUMN )?(?!CONSTRAINT|DEFAULT|NOT|EXPRESSION|IDENTITY)|RENAME )'),
    why: 'the version before still uses it: take away a release later',
  },
  {
    pattern: new RegExp(`^DROP (?:TABLE|INDEX|TYPE|VIEW) (?:IF EXISTS )?${NAME}`, 'i'),
    why: 'the version before still uses it, or is slow without it: take away a release later',
  },
];

/** The statements of a migration, without comments, each on one line. */
const statementsOf = (sql: string): string[] =>
  sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');

/** What of a migration holds others up, or takes from the version before what it uses: `statement: why` each. */
export function holdsIn(sql: string): string[] {
  const statements = statementsOf(sql);
  const made = new Set(
    statements.flatMap(
      (statement) => /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(statement)?.slice(1) ?? [],
    ),
  );
  const added = statements.flatMap(
    (statement) => /ADD CONSTRAINT (\S+) .*NOT VALID/i.exec(statement)?.slice(1) ?? [],
  );
  return statements.flatMap((statement) => {
    const holds = RULES.flatMap(({ pattern, why }) => {
      const found = pattern.exec(statement);
      return found === null || made.has(found[1]!) ? [] : [why];
    });
    const validated = /VALIDATE CONSTRAINT (\S+)/i.exec(statement)?.[1];
    if (validated !== undefined && added.includes(validated))
      holds.push(
        'what has added the constraint holds the table until the migration ends: validate it in the next one',
      );
    return holds.map((why) => `${statement}: ${why}`);
  });
}
