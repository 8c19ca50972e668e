import type { Style } from '@kontoport/command';

const MARK = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green' } as const;
/** Fields that have a place of their own in the line, or none. */
const PLACED = new Set(['level', 'time', 'service', 'msg', 'spanId']);

interface LogLine {
  /** The time in the line; empty without one. */
  time: string;
  text: string;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? '';
}

/** Returns name, code and message of an error, and its call sites for lines of their own. */
function errorLines(value: unknown): { words: string; at: string[] } {
  const { name = 'Error', message = '', code, at = '' } = value as Record<string, string | undefined>;
  const words = `${name}${code === undefined ? '' : ` ${code}`}${message === '' ? '' : `: ${message}`}`;
  return { words, at: at === '' ? [] : at.split('\n') };
}

const isDescribed = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'name' in value && ('message' in value || 'at' in value);

function fieldsOf(raw: string): Record<string, unknown> {
  try {
    return (JSON.parse(raw) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

/** Formats a line of a service's log for people: JSON as `time level service message field=value`, other lines as they are. */
export function readableLine(raw: string, options: { service?: string; style: Style }): LogLine {
  const { style } = options;
  const fields = fieldsOf(raw);
  const { time, level, msg } = fields;
  if (typeof time !== 'string' || typeof level !== 'string') {
    const named = options.service === undefined ? '' : `${style('dim', options.service)}  `;
    return { time: '', text: `${named}${raw}` };
  }
  const stack: string[] = [];
  const facts = Object.entries(fields)
    .filter(([name]) => !PLACED.has(name))
    .map(([name, value]) => {
      if (!isDescribed(value)) return `${style('dim', `${name}=`)}${shown(value)}`;
      const { words, at } = errorLines(value);
      stack.push(...at);
      return `${style('dim', `${name}=`)}${words}`;
    });
  const head = [
    style('dim', time.slice(11, 23)),
    style(MARK[level as keyof typeof MARK] ?? 'dim', level.padEnd(5)),
    ...(options.service === undefined ? [] : [options.service]),
    typeof msg === 'string' ? msg : '',
  ];
  return {
    time,
    text: [[...head, ...facts].join(' ').trimEnd(), ...stack.map((site) => style('dim', `    ${site}`))].join(
      '\n',
    ),
  };
}
