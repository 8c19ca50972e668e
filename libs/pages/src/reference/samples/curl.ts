import type { Call, Template } from '../call.ts';

/** Writes a request for curl. */
export function curl({ method, url, certificate, credentials, headers, body }: Call): string {
  const request = method === 'GET' ? '' : `--request ${method} `;
  return [
    `curl --include --cacert ca.pem ${request}${quoted(url)}`,
    ...(certificate ? ['--cert chain.pem --key key.pem'] : []),
    ...(credentials ? ['--user "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...headers.map(({ name, value }) => `--header ${quoted([`${name}: `, ...value])}`),
    ...(body === undefined ? [] : [`--data '${body.text.replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' \\\n  ');
}

const quoted = (template: Template): string =>
  `"${template
    .map((part) => (typeof part === 'string' ? part.replaceAll(/["$`\\]/g, String.raw`\$&`) : `$${part.env}`))
    .join('')}"`;
