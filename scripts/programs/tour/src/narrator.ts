import { STATUS_CODES } from 'node:http';
import { styleFor, widthOf, wrap } from '@kontoport/command';
import type { TourFailure } from './expectations.ts';
import type { Answer, Call } from './tpp-client.ts';

/** Fields of an answer and their values, in order. */
export type Facts = Record<string, string | number | boolean>;

/** Prints the tour: a line for each chapter, and with `verbose` each call. */
export interface Narrator {
  chapter(title: string): Promise<void>;
  step(title: string): void;
  exchange(exchange: { call: Call; answer: Answer }, facts?: Facts): void;
  facts(facts: Facts): void;
  note(text: string): void;
  failure(failure: TourFailure): void;
  end(text: string): void;
}

const LONGEST = 110;

/** Replaces a secret by its length. */
export const masked = (secret: string): string => `•••••••• (${secret.length} characters)`;

const shortened = (value: string): string =>
  value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value;

/**
 * Prints on `output`, in colours where it shows them.
 * @param options.pause awaited before each chapter
 */
export function createNarrator(
  output: NodeJS.WriteStream,
  options: { env: NodeJS.ProcessEnv; verbose: boolean; pause?: (() => Promise<unknown>) | undefined },
): Narrator {
  const { env, verbose, pause } = options;
  let chapters = 0;
  let since: number | undefined;
  const style = styleFor(output, env);
  const line = (text = ''): void => void output.write(`${text}\n`);
  const detail = (text: string): void => {
    if (verbose) line(text);
  };
  const width = (): number => widthOf(output, Infinity);
  /** Ends the line of a chapter with its time. */
  const endChapter = (): void => {
    if (since !== undefined && !verbose) line(style('dim', `  ${Math.round(performance.now() - since)} ms`));
    since = undefined;
  };
  const facts = (values: Facts): void => {
    const column = Math.max(0, ...Object.keys(values).map((name) => name.length));
    for (const [name, value] of Object.entries(values)) {
      const text = shortened(String(value));
      if (9 + column + text.length <= width()) detail(`       ${style('dim', name.padEnd(column))}  ${text}`);
      else
        for (const part of [style('dim', name), ...wrap(text, width() - 11, '    ')])
          detail(`       ${part}`);
    }
  };
  return {
    async chapter(title) {
      endChapter();
      await pause?.();
      since = performance.now();
      chapters += 1;
      const text = style('bold', `${String(chapters).padStart(2)}. ${title}`);
      output.write(verbose ? `\n${text}\n` : text);
    },
    step: (title) => detail(`\n    ${style('bold', title)}`),
    exchange({ call, answer }, values = {}) {
      detail(`    ${style('cyan', call.method)} ${call.url}`);
      const sent = call.form ? new URLSearchParams(call.form).toString() : JSON.stringify(call.json);
      if (sent !== undefined) detail(`       ${style('dim', shortened(sent))}`);
      const status = `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`.trim();
      const time = style('dim', `${answer.milliseconds} ms`);
      detail(`    ${style(answer.status < 400 ? 'green' : 'yellow', status)} ${time}`);
      facts(values);
    },
    facts,
    note(text) {
      for (const part of wrap(text, width(), '    ')) detail(part);
    },
    failure({ expected, got }) {
      endChapter();
      line(style(['red', 'bold'], '    The tour failed.'));
      line(`    expected  ${expected}`);
      line(`    got       ${got}`);
    },
    end(text) {
      endChapter();
      line(style(['green', 'bold'], text));
    },
  };
}
