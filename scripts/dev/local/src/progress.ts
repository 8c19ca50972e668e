import { type Style, styleFor, widthOf, wrap } from '@kontoport/command';

/** Reports the start of the stack to a person, in whole lines. */
export interface Progress {
  /** Runs `work` and prints a line when it ends: the title, the last `note`, the seconds, and whether it failed. */
  step<T>(title: string, work: (note: (text: string) => void) => Promise<T>): Promise<T>;
  line(text?: string): void;
  style: Style;
  /** Columns to write in; Infinity without a terminal. */
  width: number;
}

/** Makes the progress of a start. Its steps may run side by side. */
export function createProgress(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Progress {
  const style = styleFor(output, env);
  const width = (): number => widthOf(output, Infinity);
  const line = (text = ''): void => void output.write(`${text}\n`);
  return {
    line,
    style,
    get width() {
      return width();
    },
    async step(title, work) {
      const since = performance.now();
      let words = title;
      const finish = (mark: string): void => {
        const seconds = `${((performance.now() - since) / 1_000).toFixed(1)} s`;
        const [first, ...more] = wrap(words, width() - 10);
        line([`${mark} ${first}  ${style('dim', seconds)}`, ...more].join('\n  '));
      };
      try {
        const result = await work((note) => (words = `${title}  ${note}`));
        finish(style('green', '✓'));
        return result;
      } catch (error) {
        finish(style('red', '✗'));
        throw error;
      }
    },
  };
}
