/** The languages in which a TPP can read our answers (§4); `nb` is Norwegian bokmål. */
export const LANGUAGES = ['en', 'da', 'sv', 'nb'] as const;

export type Language = (typeof LANGUAGES)[number];

/** A sentence in every language; `{name}` is replaced by a value. */
export type Template = Readonly<Record<Language, string>>;

/** An entry of a catalogue: API messages in English alone, texts of users' pages and titles in every language. */
type Sentence = string | Template;

type English<S extends Sentence> = S extends Template ? S['en'] : S;

declare const made: unique symbol;

/**
 * A sentence with its values; the language is chosen when it is read. Only a catalogue or `writtenText` makes one, so
 * no code can throw a literal sentence.
 */
export interface Text {
  readonly [made]: true;
  /** The key of the sentence in its catalogue; with `values` all that has to be stored. */
  readonly rule: string;
  readonly values: Readonly<Record<string, string | number>>;
  in(language: Language): string;
}

/** A text as it is stored. */
export type StoredText = Pick<Text, 'rule' | 'values'>;

/** A value of a sentence; a text is read in the language of the sentence around it. */
export type TextValue = string | number | Text;

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Every language names the values that English names. */
type Checked<T extends Record<string, Sentence>> = {
  [Rule in keyof T]: T[Rule] extends Template
    ? {
        [L in Language]: Same<Names<T[Rule]['en']>, Names<T[Rule][L]>> extends true
          ? string
          : 'names other values than the English sentence';
      }
    : string;
};

type ValuesOf<T extends Sentence> = [Names<English<T> & string>] extends [never]
  ? []
  : [values: Readonly<Record<Names<English<T> & string>, TextValue>>];

/** The sentences of a library or a service. */
export interface Texts<T extends Record<string, Sentence>> {
  /** @example TEXTS('draft-status', { status: 'PENDING' }) */
  <Rule extends keyof T & string>(rule: Rule, ...values: ValuesOf<T[Rule]>): Text;
  readonly all: Readonly<T>;
  /** A stored text; undefined when the catalogue has no such rule, or when a value of it is lacking. */
  read(stored: StoredText): Text | undefined;
}

const PLACEHOLDER = /\{([A-Za-z]+)\}/g;

class CatalogueText implements Text {
  declare readonly [made]: true;
  readonly rule: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly #sentence: Sentence;
  readonly #given: Readonly<Record<string, TextValue>>;

  constructor(rule: string, sentence: Sentence, given: Readonly<Record<string, TextValue>> = {}) {
    this.rule = rule;
    this.#sentence = sentence;
    this.#given = given;
    this.values = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        typeof value === 'object' ? value.in('en') : value,
      ]),
    );
  }

  in(language: Language): string {
    return inLanguage(this.#sentence, language).replace(PLACEHOLDER, (whole, name: string) => {
      const value = this.#given[name] ?? whole;
      return typeof value === 'object' ? value.in(language) : String(value);
    });
  }
}

function inLanguage(sentence: Sentence, language: Language): string {
  return typeof sentence === 'string' ? sentence : sentence[language];
}

/**
 * Declares a catalogue: a sentence is English alone or has every language, with the same values in each, or it does not compile.
 * A text within a text is kept in `values` in English; only one without can be stored and read again.
 * @example const TEXTS = defineTexts({ 'is-status': 'is {status}', title: { en: 'Transfer', da: 'Overførsel', … } });
 */
export function defineTexts<const T extends Record<string, Sentence>>(texts: T & Checked<T>): Texts<T> {
  const write = <Rule extends keyof T & string>(rule: Rule, ...[values]: ValuesOf<T[Rule]>): Text =>
    new CatalogueText(rule, texts[rule], values);
  const read = ({ rule, values }: StoredText): Text | undefined => {
    const sentence: Sentence | undefined = Object.hasOwn(texts, rule) ? texts[rule] : undefined;
    if (sentence === undefined) return undefined;
    const complete = placeholdersOf(inLanguage(sentence, 'en')).every((name) => Object.hasOwn(values, name));
    return complete ? new CatalogueText(rule, sentence, values) : undefined;
  };
  return Object.assign(write, { all: texts, read });
}

/** The names of the values in a sentence, sorted, each once. */
export function placeholdersOf(sentence: string): string[] {
  return [...new Set([...sentence.matchAll(PLACEHOLDER)].map(([, name]) => name!))].toSorted();
}

/** A sentence from another process, or one without a catalogue, with its values inserted. */
export function writtenText(sentences: Template, stored: StoredText = { rule: '', values: {} }): Text {
  return new WrittenText(sentences, stored);
}

class WrittenText implements Text {
  declare readonly [made]: true;
  readonly rule: string;
  readonly values: StoredText['values'];
  readonly #sentences: Template;

  constructor(sentences: Template, { rule, values }: StoredText) {
    this.rule = rule;
    this.values = values;
    this.#sentences = sentences;
  }

  in(language: Language): string {
    return this.#sentences[language];
  }
}

const rules = new Map<string, Text>();

/**
 * A constant sentence for a zod schema: the English one, from which `ruleOf` finds the others. Do not use it for
 * sentences with values of a request, because they stay in memory.
 * @example z.string().regex(/^\d+$/, rule(TEXTS('digits')))
 */
export function rule(text: Text): string {
  const english = text.in('en');
  rules.set(english, text);
  return english;
}

/**
 * The same for an issue that a schema raises itself, with values of the request.
 * @example context.addIssue({ code: 'custom', path: ['currency'], ...fault(TEXTS('currency', { currency })) })
 */
export function fault(text: Text): { message: string; params: { text: Text } } {
  return { message: text.in('en'), params: { text } };
}

/** The text of which `rule` gave the English sentence. */
export function ruleOf(english: string): Text | undefined {
  return rules.get(english);
}
