import { STATUS_CODES } from 'node:http';
import { styleFor, widthOf, wrap } from '@kontoport/command';
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

/** Tells on `output`, in colours where that shows them. */
export function createNarrator(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Narrator {
  let steps = 0;
  const style = styleFor(output, env);
  const line = (text = ''): void => void output.write(`${text}\n`);
  const facts = (values: Facts): void => {
    const width = Math.max(0, ...Object.keys(values).map((name) => name.length));
    for (const [name, value] of Object.entries(values)) {
      const text = shortened(String(value));
      const fits = 9 + width + text.length <= widthOf(output, Infinity);
      if (fits) line(`       ${style('dim', name.padEnd(width))}  ${text}`);
      else
        for (const part of [style('dim', name), ...wrap(text, widthOf(output, Infinity) - 11, '    ')])
          line(`       ${part}`);
    }
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
    note(text) {
      for (const part of wrap(text, widthOf(output, Infinity), '    ')) line(part);
    },
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
