import { ADDRESS_OR_BLOCK, ONE_BLOCK } from './addresses.ts';
import { closed, listOf, objectName, oneOf, open, text, texts, whole } from './building-blocks.ts';
import type { JsonSchema } from './json-schema.ts';

/** The formats of those edges that the chart sets up follow from their type. */
const FORMATS = ['', 'rfc9440', 'xfcc', 'nginx', 'traefik', 'haproxy'];

/** Where mutual TLS ends. */
export function edgeValues(): JsonSchema {
  return closed(
    'The edge: it ends mutual TLS and hands over client certificates (docs/edge).',
    {
      type: oneOf(
        '`envoyGateway`: resources for Envoy Gateway; `haproxy`, `traefik`: pods of this chart; `none`: an edge of your own.',
        ['envoyGateway', 'haproxy', 'traefik', 'none'],
      ),
      addresses: listOf(
        'Addresses or blocks from which the edge calls, such as those of its pods. Nobody else is believed; there is no default.',
        { type: 'string', pattern: ADDRESS_OR_BLOCK },
        { minItems: 1 },
      ),
      format: oneOf(
        '`none`: how your edge hands certificates over (docs/edge); `rfc9440`, if empty.',
        FORMATS,
        {
          default: '',
        },
      ),
      existingSecret: objectName(
        'A Secret with EDGE_SECRET, of 32 characters and more; the edge proves itself by it.',
      ),
      secretKey: text(
        'The key in it. If empty: `credential` for `envoyGateway`, which reads no other; else `EDGE_SECRET`.',
        { default: '' },
      ),
      heardKey: text(
        'The key in it with what the services hear, several separated by commas, while the secret is changed. If empty: the same key.',
        { default: '' },
      ),
      certificate: objectName(
        'A Secret of type kubernetes.io/tls for the names of all four addresses; with a `type` other than `none`.',
      ),
      trustedCas: objectName(
        'A ConfigMap with the trust anchors in ca.crt: edges ask for certificates only if they have some; they refuse nobody by them.',
      ),
      internalCertificate: objectName(
        'With `internalTls.type: existingSecrets` and a `type` other than `none`: a Secret with tls.crt, tls.key, ca.crt that names `edge`.',
      ),
      envoyGateway: closed('', {
        gatewayClassName: text('', { default: 'envoy', minLength: 1 }),
        namespace: text('Where Envoy Gateway runs its proxies.', { default: 'envoy-gateway-system' }),
        gatewayAnnotations: texts('', { default: {} }),
        connectionsPerListener: whole(
          'Connections at each address of a proxy, whoever has them: Envoy cannot bound one source.',
          { default: 10_000, minimum: 1 },
        ),
      }),
      haproxy: closed('', {
        ...proxyPods('haproxy:3.2'),
        connectionsPerSource: whole(
          'Connections of one source (IPv6: /64) to a pod, all addresses together; 0: no bound. The default assumes that pods see the addresses of the callers, as behind most load balancers: `externalTrafficPolicy` is `Local`. Where one hides them, all callers are one source: 0, and a bound there (docs/edge).',
          { default: 256, minimum: 0 },
        ),
        connectionRatePerSource: whole('New ones of it in 10 seconds; 0: no bound.', {
          default: 1_000,
          minimum: 0,
        }),
      }),
      traefik: closed('', proxyPods('traefik:v3.6')),
    },
    {
      required: ['type', 'addresses'],
      allOf: [
        {
          // With an edge that the chart sets up.
          if: { properties: { type: { const: 'none' } } },
          else: {
            required: ['certificate', 'trustedCas'],
            properties: {
              format: { maxLength: 0 },
              certificate: { minLength: 1 },
              trustedCas: { minLength: 1 },
            },
          },
        },
      ],
    },
  );
}

function proxyPods(image: string): Record<string, JsonSchema> {
  return {
    image: text('', { default: image, minLength: 1 }),
    replicas: whole('', { default: 2, minimum: 1 }),
    resources: closed('', {
      requests: open('', { default: { cpu: '100m', memory: '128Mi' } }),
      limits: open('', { default: { memory: '512Mi' } }),
    }),
    service: closed('', {
      type: oneOf('', ['LoadBalancer', 'NodePort', 'ClusterIP'], { default: 'LoadBalancer' }),
      annotations: texts('', { default: {} }),
      loadBalancerSourceRanges: listOf('', text('', { pattern: ONE_BLOCK })),
    }),
    nodeSelector: texts('', { default: {} }),
    tolerations: listOf('', { type: 'object' }),
  };
}
