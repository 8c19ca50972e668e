import type { IncomingMessage } from 'node:http';

/**
 * The values of every line of a header, in their order. `headers` keeps only the first line of some headers, so it cannot
 * show that a header came twice.
 * @param name in lower case
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  return rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
}
