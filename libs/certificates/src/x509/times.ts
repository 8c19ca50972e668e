import { contents, DerError, type DerNode } from '../der/der-reader.ts';
import { TAG } from '../der/tag.ts';

/**
 * Reads a Time (RFC 5280 §4.1.2.5): milliseconds since 1970, with a fault in words when the form is not the one that
 * the RFC demands (UTCTime to 2049, GeneralizedTime from 2050; seconds, `Z`, no fraction).
 * @throws DerError when it names no moment at all
 */
export function readTime(node: DerNode): { readonly time: number; readonly fault: string | undefined } {
  const text = Buffer.from(contents(node)).toString('latin1');
  if (node.tag !== TAG.utcTime && node.tag !== TAG.generalizedTime)
    throw new DerError('date of a wrong type');
  const isUtc = node.tag === TAG.utcTime;
  const digits = (isUtc ? /^(\d\d)(\d{10})Z$/ : /^(\d{4})(\d{10})Z$/).exec(text);
  if (!digits) throw new DerError(`date ${JSON.stringify(text.slice(0, 40))} is not in the form of RFC 5280`);
  const short = Number(digits[1]);
  const year = isUtc ? short + (short < 50 ? 2000 : 1900) : short;
  const [month, day, hour, minute, second] = digits[2]!.match(/../g)!.map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!isReal) throw new DerError(`date ${text} does not exist`);
  const fault = !isUtc && year < 2050 ? `date ${text} before 2050 is not a UTCTime` : undefined;
  return { time: date.getTime(), fault };
}
