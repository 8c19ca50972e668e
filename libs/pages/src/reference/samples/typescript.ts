import { type Call, type Template, variablesOf } from '../call.ts';

/** Writes a request for TypeScript on Node.js, with undici. */
export function typescript(call: Call): string {
  const { method, url, certificate, credentials, headers, body } = call;
  const variables = variablesOf(call);
  const pem = (name: string, file: string): string => `    ${name}: readFileSync('${file}'),\n`;
  const basic = "Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}";
  const lines = [
    ...(credentials ? [`    authorization: \`${basic}\`,`] : []),
    ...headers.map(({ name, value }) => `    '${name.toLowerCase()}': ${quoted(value)},`),
  ];
  return `import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

${variables.length > 0 ? `const { ${variables.join(', ')} } = process.env;\n` : ''}const dispatcher = new Agent({
  connect: {
${pem('ca', 'ca.pem')}${certificate ? pem('cert', 'chain.pem') + pem('key', 'key.pem') : ''}  },
});

const response = await request(${quoted(url)}, {
  dispatcher,
  method: '${method}',
${lines.length > 0 ? `  headers: {\n${lines.join('\n')}\n  },\n` : ''}${bodyLine(body)}});
console.log(response.statusCode, await response.body.text());
await dispatcher.close();`;
}

function bodyLine(body: Call['body']): string {
  if (body === undefined) return '';
  const text = body.type.endsWith('json')
    ? `JSON.stringify(${body.text.replaceAll('\n', '\n  ')})`
    : `'${body.text.replaceAll("'", String.raw`\'`)}'`;
  return `  body: ${text},\n`;
}

const quoted = (template: Template): string =>
  `\`${template
    .map((part) =>
      typeof part === 'string' ? part.replaceAll(/[`$\\]/g, String.raw`\$&`) : `\${${part.env}}`,
    )
    .join('')}\``;
