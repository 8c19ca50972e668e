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

/**
 * The value of the first line of a header, as Node takes it of most; undefined where none stands. Of a request that asks for
 * few, they come cheaper from here than from `headers`, which reads them all.
 * @param name in lower case
 */
export function headerOf({ rawHeaders }: RawHeaders, name: string): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]!;
    if (given.length === name.length && given.toLowerCase() === name) return rawHeaders[at + 1];
  }
  return undefined;
}

/**
 * All lines of a header that is a list (RFC 9110 §5.3); undefined where none stands.
 * @param name in lower case
 */
export function headerList(request: RawHeaders, name: string): string | undefined {
  return headerOf(request, name) && headerValues(request, name).join(', ');
}
