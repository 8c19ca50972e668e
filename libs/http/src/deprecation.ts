import type { ServerResponse } from 'node:http';

/** Until when a route still answers, and where it is told what to use instead (§9). */
export interface Deprecation {
  since: Date;
  /** After this moment the route may be gone. */
  sunset?: Date;
  /** A page for the developer of a TPP. */
  link: string;
}

/** Sets Deprecation (RFC 9745), Sunset and its Link (RFC 8594), beside the links that an answer has already. */
export function announceDeprecation(response: ServerResponse, { since, sunset, link }: Deprecation): void {
  response.setHeader('deprecation', `@${Math.floor(since.getTime() / 1_000)}`);
  response.appendHeader('link', `<${link}>; rel="deprecation"; type="text/html"`);
  if (sunset === undefined) return;
  response.setHeader('sunset', sunset.toUTCString());
  response.appendHeader('link', `<${link}>; rel="sunset"; type="text/html"`);
}
