import { stripVTControlCharacters } from 'node:util';
import { cutToWidth, mayRewrite, type Style, styleFor, widthOf, wrap } from '@kontoport/command';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;

/** Tells a person what is going on; every method writes whole lines. */
export interface Progress {
  /** Runs `work` under a title; `note` changes what is shown beside it. Says how long it took, or that it failed. */
  step<T>(title: string, work: (note: (text: string) => void) => Promise<T>): Promise<T>;
  line(text?: string): void;
  style: Style;
  /** Columns to write in; endless where nobody watches on a terminal. */
  width: number;
}

interface Running {
  title: string;
  note: string;
  since: number;
}

/**
 * Steps may run side by side. On a terminal they spin on lines that are rewritten; elsewhere, or with NO_COLOR or CI,
 * each leaves one line when it is done, so a log stays readable.
 */
export function createProgress(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Progress {
  const lively = mayRewrite(output, env);
  const running = new Set<Running>();
  let drawn = 0;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;

  const style = styleFor(output, env);
  const width = (): number => widthOf(output, Infinity);
  const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

  const clear = (): void => {
    if (drawn > 0) output.write(`\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  };
  const draw = (): void => {
    if (!lively) return;
    for (const { title, note } of running) {
      const text = `${FRAMES[frame % FRAMES.length]} ${title}${note ? `  ${note}` : ''}`;
      output.write(`${style('cyan', cutToWidth(stripVTControlCharacters(text), width() - 1))}\n`);
      drawn += 1;
    }
  };
  const redraw = (): void => {
    clear();
    draw();
  };
  const line = (text = ''): void => {
    clear();
    output.write(`${text}\n`);
    draw();
  };

  return {
    line,
    style,
    get width() {
      return width();
    },
    async step(title, work) {
      const entry: Running = { title, note: '', since: performance.now() };
      running.add(entry);
      if (lively) {
        timer ??= setInterval(() => {
          frame += 1;
          redraw();
        }, FRAME_MS);
        redraw();
      }
      const finish = (mark: string): void => {
        running.delete(entry);
        if (running.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
        const words = `${title}${entry.note ? `  ${entry.note}` : ''}`;
        const [first, ...more] = wrap(words, width() - 10);
        line([`${mark} ${first}  ${style('dim', seconds(entry.since))}`, ...more].join('\n  '));
      };
      try {
        const result = await work((text) => {
          entry.note = text;
        });
        finish(style('green', '✓'));
        return result;
      } catch (error) {
        finish(style('red', '✗'));
        throw error;
      }
    },
  };
}
