import { UsageError } from '@kontoport/command';
import { openSession, type ProfileOptions } from '@kontoport/profile';

/** The options of `kontoport clock`. */
export interface ClockOptions extends ProfileOptions {
  advance?: string;
  json?: boolean;
}

/** The designator of each unit in ISO 8601. */
const UNITS: Readonly<Record<string, string>> = {
  s: 'PT#S',
  min: 'PT#M',
  h: 'PT#H',
  d: 'P#D',
  mo: 'P#M',
  y: 'P#Y',
};

/** Reads a duration such as `3mo`, or one of ISO 8601. @throws UsageError */
function durationFrom(text: string): string {
  if (text.startsWith('P')) return text;
  const [, number, unit = ''] = /^(\d{1,9})([a-z]+)$/.exec(text) ?? [];
  const form = UNITS[unit];
  if (number === undefined || form === undefined)
    throw new UsageError('--advance is a duration such as 30s, 10min, 36h, 3d, 3mo, 1y or P1DT12H');
  return form.replace('#', number);
}

/** Prints the clock of the simulated bank, and advances it first if asked to. @returns the exit status */
export async function clock({ advance, json = false, ...chosen }: ClockOptions): Promise<number> {
  const duration = advance === undefined ? undefined : durationFrom(advance);
  const session = openSession(chosen);
  try {
    const answer = await (duration === undefined
      ? session.ask('GET', '/sandbox/clock')
      : session.ask('POST', '/sandbox/clock', { advance: duration }));
    const { now, aheadSeconds } = answer as { now: string; aheadSeconds: number };
    if (json) console.log(JSON.stringify(answer, undefined, 2));
    else console.log(aheadSeconds === 0 ? now : `${now}, ${ahead(aheadSeconds)} ahead of the real time`);
    return 0;
  } finally {
    await session.close();
  }
}

function ahead(seconds: number): string {
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600)];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  return hours > 0 ? `${hours} h` : `${seconds} s`;
}
