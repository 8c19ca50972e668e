import type { Call, Template } from '../call.ts';

/** Writes a request for Java 17, with its standard library. */
export function java({ method, url, certificate, credentials, headers, body }: Call): string {
  const lines = [
    ...(credentials ? ['        .header("Authorization", "Basic " + credentials)'] : []),
    ...headers.map(({ name, value }) => `        .header("${name}", ${concatenated(value)})`),
  ];
  const publisher = body === undefined ? 'noBody()' : `ofString(${textBlock(body.text)})`;
  return `import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
${credentials ? 'import java.util.Base64;\n' : ''}import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class Sample {
  public static void main(String[] arguments) throws Exception {
${certificate ? OWN : ''}    KeyStore roots = KeyStore.getInstance("PKCS12");
    roots.load(null, null);
    CertificateFactory certificates = CertificateFactory.getInstance("X.509");
    roots.setCertificateEntry("ca", certificates.generateCertificate(new FileInputStream("ca.pem")));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(roots);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(${certificate ? 'keys.getKeyManagers()' : 'null'}, trust.getTrustManagers(), null);

${credentials ? CREDENTIALS : ''}    HttpRequest request = HttpRequest.newBuilder(URI.create(${concatenated(url)}))
${lines.map((line) => `${line}\n`).join('')}        .method("${method}", HttpRequest.BodyPublishers.${publisher})
        .build();
    HttpClient client = HttpClient.newBuilder().sslContext(tls).build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(response.statusCode() + " " + response.body());
  }
}`;
}

const OWN = `    char[] password = System.getenv("P12_PASSWORD").toCharArray();
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(new FileInputStream("store.p12"), password);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, password);
`;

const CREDENTIALS = `    String pair = System.getenv("CLIENT_ID") + ":" + System.getenv("CLIENT_SECRET");
    String credentials = Base64.getEncoder().encodeToString(pair.getBytes());
`;

const textBlock = (text: string): string =>
  `"""\n${text.replaceAll('\\', '\\\\').replaceAll('"""', String.raw`\"""`)}"""`;

const concatenated = (template: Template): string =>
  template
    .map((part) => (typeof part === 'string' ? JSON.stringify(part) : `System.getenv("${part.env}")`))
    .join(' + ');
