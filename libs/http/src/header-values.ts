import type { IncomingMessage } from 'node:http';

/** What a header carries of a request, as it came: its raw lines alone tell how often one stood. */
export type RawHeaders = Pick<IncomingMessage, 'rawHeaders'>;

/**
 * The values of every line of a header, in their order.
 * @param name in lower case
 */
export function headerValues({ rawHeaders }: RawHeaders, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]!;
    // The length tells most of them apart, at once.
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[at + 1]!);
  }
  return values;
}
