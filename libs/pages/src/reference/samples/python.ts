import type { Call, Template } from '../call.ts';

/** Writes a request for Python 3, with its standard library. */
export function python({ method, url, certificate, credentials, headers, body }: Call): string {
  const [first = '', ...rest] = url;
  const { protocol, hostname, port, pathname } = new URL(
    typeof first === 'string' ? first : 'https://localhost',
  );
  const path: Template = [pathname, ...rest];
  const lines = [
    ...(credentials ? ['    "Authorization": "Basic " + credentials,'] : []),
    ...headers.map(({ name, value }) => `    "${name}": ${concatenated(value)},`),
  ];
  const usesEnvironment = credentials || [path, ...headers.map(({ value }) => value)].some(hasVariable);
  return `${credentials ? 'import base64\n' : ''}import http.client
${usesEnvironment ? 'import os\n' : ''}import ssl

context = ssl.create_default_context(cafile="ca.pem")
${certificate ? 'context.load_cert_chain("chain.pem", "key.pem")\n' : ''}${credentials ? CREDENTIALS : ''}connection = http.client.HTTPSConnection("${hostname}", ${port || (protocol === 'http:' ? 80 : 443)}, context=context)
headers = {${lines.length > 0 ? `\n${lines.join('\n')}\n` : ''}}
${body === undefined ? '' : `body = r'''${body.text}'''\n`}connection.request("${method}", ${concatenated(path)}${body === undefined ? '' : ', body=body.encode()'}, headers=headers)
response = connection.getresponse()
print(response.status, response.read().decode())`;
}

const CREDENTIALS = `credentials = os.environ["CLIENT_ID"] + ":" + os.environ["CLIENT_SECRET"]
credentials = base64.b64encode(credentials.encode()).decode()
`;

const hasVariable = (template: Template): boolean => template.some((part) => typeof part !== 'string');

const concatenated = (template: Template): string =>
  template
    .map((part) => (typeof part === 'string' ? JSON.stringify(part) : `os.environ["${part.env}"]`))
    .join(' + ');
