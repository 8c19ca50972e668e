import type { EdgeFormat } from '@kontoport/gate';

const inBase64 = (der: Uint8Array): string => Buffer.from(der).toString('base64');
const pem = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${inBase64(der).replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
const escaped = (text: string): string => encodeURIComponent(text);

/** A chain (DER, leaf first) as an edge of each kind writes it. */
export const WRITTEN: Readonly<
  Record<EdgeFormat, (chain: readonly Uint8Array[]) => Readonly<Record<string, string>>>
> = {
  rfc9440: ([leaf, ...rest]) => ({
    'client-cert': `:${inBase64(leaf!)}:`,
    'client-cert-chain': rest.map((der) => `:${inBase64(der)}:`).join(', '),
  }),
  xfcc: (chain) => ({ 'x-forwarded-client-cert': `Chain="${escaped(chain.map(pem).join(''))}"` }),
  nginx: ([leaf]) => ({ 'ssl-client-cert': escaped(pem(leaf!)) }),
  traefik: (chain) => ({ 'x-forwarded-tls-client-cert': chain.map(inBase64).join(',') }),
  haproxy: ([leaf, ...rest]) => ({
    'x-ssl-client-cert': inBase64(leaf!),
    'x-ssl-client-chain': Buffer.concat(rest).toString('base64'),
  }),
};
