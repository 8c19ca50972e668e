import { STATUS_CODES } from 'node:http';
import { styleText } from 'node:util';
import type { TourFailure } from './expectations.ts';
import type { Answer, Call } from './tpp-client.ts';

/** What is told of an answer: field and value, in order. */
export type Facts = Record<string, string | number | boolean>;

/** Tells the tour on the terminal. */
export interface Narrator {
  step(title: string): void;
  exchange(call: Call, answer: Answer, facts?: Facts): void;
  facts(facts: Facts): void;
  note(text: string): void;
  failure(failure: TourFailure): void;
  end(text: string): void;
}

const LONGEST = 110;

/** A secret as it may be shown: that it is there, and how long it is. */
export function masked(secret: string): string {
  return `•••••••• (${secret.length} characters)`;
}

function shortened(value: string): string {
  return value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value;
}

/** Colours appear on a terminal only, and not with NO_COLOR. */
export function createNarrator(output: NodeJS.WriteStream): Narrator {
  let steps = 0;
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    styleText(format, text, { stream: output });
  const line = (text = ''): void => void output.write(`${text}\n`);
  const facts = (values: Facts): void => {
    const width = Math.max(0, ...Object.keys(values).map((name) => name.length));
    for (const [name, value] of Object.entries(values))
      line(`       ${style('dim', name.padEnd(width))}  ${shortened(String(value))}`);
  };
  return {
    step(title) {
      steps += 1;
      line();
      line(style('bold', `${String(steps).padStart(2)}. ${title}`));
    },
    exchange(call, answer, values = {}) {
      line(`    ${style('cyan', call.method)} ${call.url}`);
      const sent = call.form ? new URLSearchParams(call.form).toString() : JSON.stringify(call.json);
      if (sent !== undefined) line(`       ${style('dim', shortened(sent))}`);
      const status = `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`.trim();
      line(
        `    ${style(answer.status < 400 ? 'green' : 'yellow', status)} ${style('dim', `${answer.milliseconds} ms`)}`,
      );
      facts(values);
    },
    facts,
    note: (text) => line(`    ${text}`),
    failure({ expected, got }) {
      line();
      line(style(['red', 'bold'], '    The tour failed.'));
      line(`    expected  ${expected}`);
      line(`    got       ${got}`);
    },
    end(text) {
      line();
      line(style(['green', 'bold'], text));
    },
  };
}
