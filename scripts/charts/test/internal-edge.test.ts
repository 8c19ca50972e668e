import { describeWith } from '@kontoport/testing/describe-with';
import { parse } from 'yaml';
import { missingTools } from '../src/tools.ts';
import { type KubernetesObject, objectOf, podOf, render } from './chart.ts';
import { SERVICE_KEYS, SERVICES } from './services.ts';

/** The members of a recipe of Traefik that are read here. */
interface Traefik {
  http: {
    services: Record<string, { loadBalancer: { serversTransport?: string; servers: { url: string }[] } }>;
    serversTransports?: object;
  };
}

interface Route {
  spec: { rules: { backendRefs: { name: string }[] }[] };
}

const GIVEN = {
  internalTls: { type: 'existingSecrets' },
  services: Object.fromEntries(
    SERVICE_KEYS.map((key) => [key, { internalCertificate: `${SERVICES[key]}-own` }]),
  ),
};
/** The sources of the edge's certificate, and its Secret. */
const ISSUED = [
  ['of cert-manager', {}, 'bank-edge-internal'],
  ['that is given', GIVEN, 'door'],
] as const;
const PLAIN = { internalTls: { type: 'none' } };

const behind = (type: string, change: object = {}): Promise<KubernetesObject[]> =>
  render('production', { edge: { type, internalCertificate: 'door' } }, change);

const secretOf = (objects: readonly KubernetesObject[]): unknown =>
  podOf(objectOf(objects, 'Deployment', 'bank-edge'))!.volumes!.find(({ name }) => name === 'internal');

describeWith('the way from an edge of the chart to the services', { missing: missingTools() }, () => {
  describe.each(ISSUED)('with an internal certificate %s', (_title, change, secretName) => {
    const files = [
      { key: 'ca.crt', path: 'ca.crt' },
      { key: 'tls.crt', path: 'client.pem' },
      { key: 'tls.key', path: 'client.pem.key' },
    ];

    it('is TLS behind HAProxy, which shows it and verifies the host of each service', async () => {
      const objects = await behind('haproxy', change);
      const recipe = objectOf(objects, 'ConfigMap', 'bank-edge').data!['haproxy.cfg'];
      expect(recipe).toContain(
        'server service bank-payments:8080 ssl verify required ca-file /etc/edge/internal/ca.crt crt /etc/edge/internal/client.pem verifyhost bank-payments sni str(bank-payments)',
      );
      expect(recipe).not.toMatch(/server service \S+\n/);
      expect(secretOf(objects)).toMatchObject({ secret: { secretName, items: files } });
    });

    it('is TLS behind Traefik, which shows it and verifies the host of each URL', async () => {
      const objects = await behind('traefik', change);
      const { http } = parse(objectOf(objects, 'ConfigMap', 'bank-edge').data!['traefik.yaml']!) as Traefik;
      const ways = Object.values(http.services).map(({ loadBalancer }) => loadBalancer);
      const at = (service: string, port: number): object => ({
        serversTransport: 'internal',
        servers: [{ url: `https://bank-${service}:${port}` }],
      });
      expect(ways).toEqual([
        ...[
          'account-information',
          'account-information',
          'payments',
          'webhook-dispatcher',
          'registration',
          'auth',
        ].map((service) => at(service, 8080)),
        at('auth', 8081),
      ]);
      expect(http.serversTransports).toEqual({
        internal: {
          rootCAs: ['/etc/edge/internal/ca.crt'],
          certificates: [
            { certFile: '/etc/edge/internal/client.pem', keyFile: '/etc/edge/internal/client.pem.key' },
          ],
        },
      });
      expect(secretOf(objects)).toMatchObject({ secret: { secretName, items: files } });
    });

    it('is TLS behind Envoy Gateway, which shows it and verifies the host of each service', async () => {
      const objects = await behind('envoyGateway', change);
      expect(objectOf(objects, 'Gateway', 'bank').spec).toMatchObject({
        tls: { backend: { clientCertificateRef: { kind: 'Secret', name: secretName } } },
      });
      const asked = objects
        .filter(({ kind }) => kind === 'HTTPRoute')
        .flatMap((route) => (route as unknown as Route).spec.rules)
        .flatMap(({ backendRefs }) => backendRefs.map(({ name }) => name));
      expect(new Set(asked)).toEqual(new Set(Object.values(SERVICES).map((service) => `bank-${service}`)));
      const policies = objects.filter(({ kind }) => kind === 'BackendTLSPolicy');
      expect(policies).toHaveLength(new Set(asked).size);
      for (const name of asked)
        expect(objectOf(policies, 'BackendTLSPolicy', name).spec).toEqual({
          targetRefs: [{ group: '', kind: 'Service', name }],
          validation: {
            hostname: name,
            caCertificateRefs: [{ group: '', kind: 'Secret', name: secretName }],
          },
        });
    });
  });

  it.each(['haproxy', 'traefik', 'envoyGateway'])('is plain without internal TLS: %s', async (type) => {
    const objects = await behind(type, PLAIN);
    const said = JSON.stringify(
      objects.filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'edge'),
    );
    expect(said).toContain('bank-payments');
    expect(said).not.toMatch(/edge\/internal|https:\/\/bank-|BackendTLSPolicy|clientCertificateRef/);
  });

  it('is believed while the authority of the chart is renewed: it keeps its key', async () => {
    const objects = await behind('haproxy', { internalTls: { issuerRef: { name: '' } } });
    expect(objectOf(objects, 'Certificate', 'bank-internal-ca').spec).toMatchObject({
      isCA: true,
      privateKey: { rotationPolicy: 'Never' },
    });
  });

  it('has a certificate of cert-manager that names the edge', async () => {
    for (const type of ['haproxy', 'traefik', 'envoyGateway'])
      expect(objectOf(await behind(type), 'Certificate', 'bank-edge-internal').spec).toMatchObject({
        secretName: 'bank-edge-internal',
        dnsNames: ['edge'],
      });
  });
});
