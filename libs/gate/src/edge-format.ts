import { base64, bounded, percentEncodedPem, splitDer } from './certificate-text.ts';
import { FormFault } from './form-fault.ts';
import { readXfcc } from './xfcc.ts';

/** The formats in which edges write a client's certificate chain. `EDGE_FORMAT` chooses one. */
export type EdgeFormat = 'rfc9440' | 'xfcc' | 'nginx' | 'traefik' | 'haproxy';

interface FormatRow {
  /** The header with the leaf, or with the whole chain, in lower case. */
  readonly certificate: string;
  /** The header with the rest of the chain, if it is a different one. */
  readonly chain?: string;
  /**
   * DER, leaf first.
   * @throws FormFault for a value that the edge itself would not write
   */
  readonly read: (certificate: string, chain: string) => readonly Uint8Array[];
}

/** A format is a row; [docs/edge](../../../docs/edge/README.md) has a configuration that writes it. */
export const EDGE_FORMATS: Readonly<Record<EdgeFormat, FormatRow>> = {
  /** RFC 9440: byte sequences of RFC 8941; the rest of the chain is a list of them. */
  rfc9440: {
    certificate: 'client-cert',
    chain: 'client-cert-chain',
    read: (certificate, chain) =>
      bounded([certificate, ...(chain.trim() === '' ? [] : chain.split(','))]).map(byteSequence),
  },
  /** Envoy: one element of pairs, in which `Chain` begins with the leaf and `Cert` is the leaf alone. */
  xfcc: { certificate: 'x-forwarded-client-cert', read: readXfcc },
  /** nginx, `$ssl_client_escaped_cert`: the leaf as PEM, percent-encoded. nginx cannot send the rest. */
  nginx: {
    certificate: 'ssl-client-cert',
    read: (certificate) => {
      const certificates = percentEncodedPem(certificate);
      if (certificates.length > 1) throw new FormFault('form');
      return certificates;
    },
  },
  /** Traefik, `passTLSClientCert.pem`: PEM without its marks and line ends, leaf first. */
  traefik: {
    certificate: 'x-forwarded-tls-client-cert',
    read: (certificate) => bounded(certificate.split(',')).map((element) => base64(element.trim())),
  },
  /** HAProxy: base64 of `ssl_c_der`; base64 of `ssl_c_chain_der`, which is one DER after the other without the leaf. */
  haproxy: {
    certificate: 'x-ssl-client-cert',
    chain: 'x-ssl-client-chain',
    read: (certificate, chain) =>
      bounded([base64(certificate), ...(chain.trim() === '' ? [] : splitDer(base64(chain)))]),
  },
};

/** Every header in which some format puts a certificate. */
const CERTIFICATE_HEADERS: ReadonlySet<string> = new Set(
  Object.values(EDGE_FORMATS).flatMap(({ certificate, chain }) => [
    certificate,
    ...(chain === undefined ? [] : [chain]),
  ]),
);

const CERTIFICATE_LENGTHS: ReadonlySet<number> = new Set(
  [...CERTIFICATE_HEADERS].map(({ length }) => length),
);

/**
 * Whether a header can contain a certificate and belongs to another format. A spelling with underscores counts, because
 * some proxies treat them as dashes.
 */
export function isOfAnotherFormat(header: string, format: EdgeFormat): boolean {
  // The length excludes most headers at once.
  if (!CERTIFICATE_LENGTHS.has(header.length)) return false;
  const { certificate, chain } = EDGE_FORMATS[format];
  const name = header.toLowerCase();
  return name !== certificate && name !== chain && CERTIFICATE_HEADERS.has(name.replaceAll('_', '-'));
}

/** One RFC 8941 byte sequence (`:base64:`), and nothing else. */
function byteSequence(item: string): Uint8Array {
  const inner = /^:([^:]+):$/.exec(item.trim())?.[1];
  if (inner === undefined) throw new FormFault('form');
  return base64(inner);
}
