/** The dates of a deprecated route and its documentation (§9). */
export interface Deprecation {
  since: Date;
  /** The route may be removed after this moment. */
  sunset?: Date;
  /** A page for the developer of a TPP. */
  link: string;
}

/**
 * Deprecation (RFC 9745), Sunset and their Link (RFC 8594), beside the links that an answer has already.
 * @param links those, if any
 */
export function deprecationHeaders(
  { since, sunset, link }: Deprecation,
  links: string | number | readonly string[] | undefined = [],
): Record<string, string | readonly string[]> {
  const to = (relation: string): string => `<${link}>; rel="${relation}"; type="text/html"`;
  return {
    deprecation: `@${Math.floor(since.getTime() / 1_000)}`,
    ...(sunset && { sunset: sunset.toUTCString() }),
    link: [
      ...(typeof links === 'object' ? links : [String(links)]),
      to('deprecation'),
      ...(sunset === undefined ? [] : [to('sunset')]),
    ],
  };
}
