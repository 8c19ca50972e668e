import type { Call, Template } from '../call.ts';

/** Writes a request for C# on .NET 8. */
export function csharp({ method, url, certificate, credentials, headers, body }: Call): string {
  const own = headers.filter(({ name }) => name !== 'Content-Type');
  return `using System.Net.Http.Headers;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text;

var policy = new X509ChainPolicy
{
    TrustMode = X509ChainTrustMode.CustomRootTrust,
    RevocationMode = X509RevocationMode.NoCheck,
};
policy.CustomTrustStore.ImportFromPemFile("ca.pem");
var tls = new SslClientAuthenticationOptions { CertificateChainPolicy = policy };
${certificate ? OWN : ''}using var client = new HttpClient(new SocketsHttpHandler { SslOptions = tls });

using var request = new HttpRequestMessage(new HttpMethod("${method}"), ${concatenated(url)});
${credentials ? CREDENTIALS : ''}${own.map(({ name, value }) => `request.Headers.Add("${name}", ${concatenated(value)});\n`).join('')}${content(body)}using var response = await client.SendAsync(request);
Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");`;
}

const OWN = `var chain = new X509Certificate2Collection();
chain.ImportFromPemFile("chain.pem");
var certificate = X509Certificate2.CreateFromPemFile("chain.pem", "key.pem");
tls.ClientCertificateContext = SslStreamCertificateContext.Create(certificate, chain, offline: true);
`;

const CREDENTIALS = `var pair = Environment.GetEnvironmentVariable("CLIENT_ID") + ":" + Environment.GetEnvironmentVariable("CLIENT_SECRET");
var credentials = Convert.ToBase64String(Encoding.UTF8.GetBytes(pair));
request.Headers.Authorization = new AuthenticationHeaderValue("Basic", credentials);
`;

function content(body: Call['body']): string {
  if (body === undefined) return '';
  const { type, text } = body;
  return `request.Content = new StringContent("""\n${text}\n""", Encoding.UTF8, "${type}");\n`;
}

const concatenated = (template: Template): string =>
  template
    .map((part) =>
      typeof part === 'string' ? JSON.stringify(part) : `Environment.GetEnvironmentVariable("${part.env}")`,
    )
    .join(' + ');
