import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ConfigError } from '@kontoport/config';
import { ApiError, type Text } from '@kontoport/errors';
import { headerValues } from '@kontoport/http';
import { peerIdentities } from '@kontoport/internal-tls';
import { MAX_CERTIFICATES } from './certificate-text.ts';
import { EDGE_FORMATS, type EdgeFormat, isOfAnotherFormat } from './edge-format.ts';
import { FormFault } from './form-fault.ts';
import { ReadChains } from './read-chains.ts';
import { GATE_TEXTS } from './texts.ts';

/** The edges that may forward client certificates. */
export interface EdgeTrust {
  /** CIDRs or single addresses from which the edge connects. */
  addresses: readonly string[];
  /** Accepted values of `X-Edge-Secret`. */
  secrets: readonly string[];
  /** The format in which the edge forwards certificates. */
  format: EdgeFormat;
}

/** The certificate chain that the client proved in the TLS handshake at the edge: DER, leaf first. */
export interface PeerChain {
  certificates: readonly Uint8Array[];
}

const MAX_HEADER_LENGTH = 48 * 1024;

/** The state of a connection. */
interface Connection {
  /** Whether the connection comes from an edge. It never changes. */
  readonly isEdge: boolean;
  /** The presented secret. The peer knows it, so later comparisons need no constant time. */
  presentedSecret: string | undefined;
  /** The last chain on the connection. Comparing two texts is cheaper than a lookup, and callers repeat. */
  last: { leaf: string; rest: string; certificates: readonly Uint8Array[] } | undefined;
}

/** Reads the forwarded client certificate chain of a request. */
export type ReadPeerChain = (request: IncomingMessage) => PeerChain;

/**
 * Reads the headers of the configured format. A header of another format is refused, because a correctly configured edge
 * removes all of them from its callers' requests.
 * @throws ConfigError when an address of `trust` is invalid. The reader:
 * @throws ApiError CERTIFICATE_MISSING without certificate; CERTIFICATE_INVALID when the header is malformed or
 * duplicate, has another format, or does not come from the edge.
 */
export function createPeerChainReader(trust: EdgeTrust): ReadPeerChain {
  const format = EDGE_FORMATS[trust.format];
  const addresses = readAddresses(trust.addresses);
  const secrets = trust.secrets.map((secret) => Buffer.from(secret));
  const chains = new ReadChains();

  const connections = new WeakMap<Socket, Connection>();

  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    const isNamed = !(socket instanceof TLSSocket) || peerIdentities(socket).has('edge');
    const isEdge = isNamed && addresses.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4');
    const connection: Connection = { isEdge, presentedSecret: undefined, last: undefined };
    connections.set(socket, connection);
    return connection;
  };

  const certificatesOf = (connection: Connection, leaf: string, rest: string): readonly Uint8Array[] => {
    const { last } = connection;
    if (last?.leaf === leaf && last.rest === rest) return last.certificates;
    const certificates = chains.get(leaf, rest, () => read(() => format.read(leaf, rest)));
    connection.last = { leaf, rest, certificates };
    return certificates;
  };

  const comesFromEdge = (request: IncomingMessage): boolean => {
    const connection = connectionOf(request.socket);
    if (!connection.isEdge) return false;
    const [shown, more] = headerValues(request, 'x-edge-secret');
    if (shown === undefined || more !== undefined) return false;
    if (shown === connection.presentedSecret) return true;
    const isSecret = isOneOf(secrets, Buffer.from(shown));
    if (isSecret) connection.presentedSecret = shown;
    return isSecret;
  };

  return (request) => {
    const certificate = single(request, format.certificate);
    const chain = format.chain === undefined ? undefined : single(request, format.chain);
    const foreign = request.rawHeaders.some(
      (name, at) => at % 2 === 0 && isOfAnotherFormat(name, trust.format),
    );
    if (certificate === undefined && chain === undefined && !foreign)
      throw new ApiError('CERTIFICATE_MISSING', GATE_TEXTS('certificate-missing'));
    if (!comesFromEdge(request)) throw invalid(GATE_TEXTS('not-from-edge'));
    if (foreign) throw invalid(GATE_TEXTS('another-format'));
    if (certificate === undefined) throw invalid(GATE_TEXTS('chain-alone'));
    return { certificates: certificatesOf(connectionOf(request.socket), certificate, chain ?? '') };
  };
}

/** Compares with every secret, so that the time reveals nothing. */
function isOneOf(secrets: readonly Buffer[], given: Buffer): boolean {
  return (
    secrets.filter((secret) => given.length === secret.length && timingSafeEqual(given, secret)).length > 0
  );
}

function read(certificates: () => readonly Uint8Array[]): readonly Uint8Array[] {
  try {
    return certificates();
  } catch (error) {
    if (!(error instanceof FormFault)) throw error;
    throw invalid(FAULT_TEXTS[error.fault]);
  }
}

const FAULT_TEXTS: Readonly<Record<FormFault['fault'], Text>> = {
  form: GATE_TEXTS('not-the-form'),
  'too-many': GATE_TEXTS('too-many-certificates', { most: MAX_CERTIFICATES }),
  'several-callers': GATE_TEXTS('several-callers'),
};

/** Parses strictly: a misread prefix, as in `10.0.0.0/`, would trust everybody. */
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
  const [value, more] = headerValues(request, name);
  if (more !== undefined) throw invalid(GATE_TEXTS('header-twice'));
  if (value !== undefined && value.length > MAX_HEADER_LENGTH) throw invalid(GATE_TEXTS('chain-too-large'));
  return value;
}

function invalid(why: Text): ApiError {
  return new ApiError('CERTIFICATE_INVALID', GATE_TEXTS('forwarded-refused', { why }));
}
