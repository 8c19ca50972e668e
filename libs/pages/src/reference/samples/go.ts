import type { Call, Template } from '../call.ts';

/** Writes a request for Go, with its standard library. */
export function go({ method, url, certificate, credentials, headers, body }: Call): string {
  const imports = [
    'crypto/tls',
    'crypto/x509',
    'fmt',
    'io',
    'net/http',
    'os',
    ...(body === undefined ? [] : ['strings']),
  ];
  const reader = body === undefined ? 'nil' : `strings.NewReader(${literal(body.text)})`;
  const lines = [
    ...(credentials ? ['\trequest.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))\n'] : []),
    ...headers.map(({ name, value }) => `\trequest.Header.Set("${name}", ${concatenated(value)})\n`),
  ];
  return `package main

import (
${imports.map((path) => `\t"${path}"`).join('\n')}
)

func main() {
${certificate ? `\tpair, err := tls.LoadX509KeyPair("chain.pem", "key.pem")\n\tcheck(err)\n` : ''}\tca, err := os.ReadFile("ca.pem")
\tcheck(err)
\troots := x509.NewCertPool()
\troots.AppendCertsFromPEM(ca)
\tconfig := &tls.Config{RootCAs: roots${certificate ? ', Certificates: []tls.Certificate{pair}' : ''}}
\tclient := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}

\trequest, err := http.NewRequest("${method}", ${concatenated(url)}, ${reader})
\tcheck(err)
${lines.join('')}\tresponse, err := client.Do(request)
\tcheck(err)
\tdefer response.Body.Close()
\tbody, err := io.ReadAll(response.Body)
\tcheck(err)
\tfmt.Println(response.StatusCode, string(body))
}

func check(err error) {
\tif err != nil {
\t\tpanic(err)
\t}
}`;
}

const literal = (text: string): string => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);

const concatenated = (template: Template): string =>
  template
    .map((part) => (typeof part === 'string' ? JSON.stringify(part) : `os.Getenv("${part.env}")`))
    .join('+');
