import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { ApiError, type Text } from '@kontoport/errors';
import { ConfigError } from '@kontoport/runtime';
import { GATE_TEXTS } from './texts.ts';

/** Who may hand client certificates over to the service. */
export interface EdgeTrust {
  /** CIDRs or single addresses from which the edge connects. */
  addresses: readonly string[];
  /** What the edge sends in `X-Edge-Secret`. */
  secret: string;
}

/** The certificate chain whose key was proven in the TLS handshake at the edge: DER, leaf first. */
export interface PeerChain {
  certificates: readonly Uint8Array[];
}

const MAX_CERTIFICATES = 10;
const MAX_HEADER_LENGTH = 48 * 1024;

/** Reads the forwarded client certificate chain of a request. */
export type ReadPeerChain = (request: IncomingMessage) => PeerChain;

/**
 * Reads the RFC 9440 headers `Client-Cert` and `Client-Cert-Chain`.
 * @throws ConfigError when an address of `trust` is none. The reader:
 * @throws ApiError CERTIFICATE_MISSING without certificate; CERTIFICATE_INVALID when the header is malformed, stands
 * twice, or does not come from the edge.
 */
export function createPeerChainReader(trust: EdgeTrust): ReadPeerChain {
  const addresses = readAddresses(trust.addresses);
  const secret = Buffer.from(trust.secret);

  const comesFromEdge = (request: IncomingMessage): boolean => {
    const peer = (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    if (!addresses.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')) return false;
    const shown = request.headersDistinct['x-edge-secret'];
    if (shown?.length !== 1) return false;
    const given = Buffer.from(shown[0]!);
    return given.length === secret.length && timingSafeEqual(given, secret);
  };

  return (request) => {
    const leaf = single(request, 'client-cert');
    const chain = single(request, 'client-cert-chain');
    if (leaf === undefined && chain === undefined)
      throw new ApiError('CERTIFICATE_MISSING', GATE_TEXTS('certificate-missing'));
    if (!comesFromEdge(request)) throw invalid(GATE_TEXTS('not-from-edge'));
    if (leaf === undefined) throw invalid(GATE_TEXTS('chain-alone'));
    const members = chain === undefined || chain.trim() === '' ? [] : chain.split(',');
    if (members.length + 1 > MAX_CERTIFICATES)
      throw invalid(GATE_TEXTS('too-many-certificates', { most: MAX_CERTIFICATES }));
    return { certificates: [leaf, ...members].map(readByteSequence) };
  };
}

/** Strict: a prefix that is misread, such as that of `10.0.0.0/`, would open the door to everybody. */
function readAddresses(entries: readonly string[]): BlockList {
  const addresses = new BlockList();
  for (const [index, entry] of entries.entries()) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    if (version === 0 || Number(prefix ?? bits) > bits)
      throw new ConfigError([`EDGE_ADDRESSES: element ${index + 1} is neither an IP address nor a CIDR`]);
    addresses.addSubnet(address, Number(prefix ?? bits), version === 6 ? 'ipv6' : 'ipv4');
  }
  return addresses;
}

function single(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  if (values === undefined) return undefined;
  if (values.length > 1) throw invalid(GATE_TEXTS('header-twice'));
  if (values[0]!.length > MAX_HEADER_LENGTH) throw invalid(GATE_TEXTS('chain-too-large'));
  return values[0];
}

/** One RFC 8941 byte sequence (`:base64:`), and nothing else. */
function readByteSequence(item: string): Uint8Array {
  const base64 = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(item.trim())?.[1];
  const bytes = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  if (!bytes || bytes.toString('base64') !== base64) throw invalid(GATE_TEXTS('not-byte-sequence'));
  return bytes;
}

function invalid(why: Text): ApiError {
  return new ApiError('CERTIFICATE_INVALID', GATE_TEXTS('forwarded-refused', { why }));
}
