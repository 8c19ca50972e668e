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

/** Who may hand client certificates over to the service. */
export interface EdgeTrust {
  /** CIDRs or single addresses from which the edge connects. */
  addresses: readonly string[];
  /** Of which the edge sends one in `X-Edge-Secret`. */
  secrets: readonly string[];
  /** The one form in which the edge hands certificates over. */
  format: EdgeFormat;
}

/** The certificate chain whose key was proven in the TLS handshake at the edge: DER, leaf first. */
export interface PeerChain {
  certificates: readonly Uint8Array[];
}

const MAX_HEADER_LENGTH = 48 * 1024;

/** What is known of a connection. */
interface Connection {
  /** Where it comes from never changes. */
  readonly isEdge: boolean;
  /** The secret that it has shown; who has shown it learns nothing from how long a comparison with it takes. */
  shownSecret: string | undefined;
  /** What came over it last: to compare two texts costs less than to look one up, and callers come more than once. */
  last: { leaf: string; rest: string; certificates: readonly Uint8Array[] } | undefined;
}

/** Reads the forwarded client certificate chain of a request. */
export type ReadPeerChain = (request: IncomingMessage) => PeerChain;

/**
 * Reads the headers of the one format that is agreed with the edge. A header of another format is refused, whatever
 * stands beside it: an edge takes them all from what callers send, so one that does not is not set up as it should be.
 * @throws ConfigError when an address of `trust` is none. The reader:
 * @throws ApiError CERTIFICATE_MISSING without certificate; CERTIFICATE_INVALID when the header is malformed, stands
 * twice, is another format's, or does not come from the edge.
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
    const connection: Connection = { isEdge, shownSecret: undefined, last: undefined };
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
    if (shown === connection.shownSecret) return true;
    const isSecret = isOneOf(secrets, Buffer.from(shown));
    if (isSecret) connection.shownSecret = shown;
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

/** Each of them is compared with, whichever it is. */
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
  const [value, more] = headerValues(request, name);
  if (more !== undefined) throw invalid(GATE_TEXTS('header-twice'));
  if (value !== undefined && value.length > MAX_HEADER_LENGTH) throw invalid(GATE_TEXTS('chain-too-large'));
  return value;
}

function invalid(why: Text): ApiError {
  return new ApiError('CERTIFICATE_INVALID', GATE_TEXTS('forwarded-refused', { why }));
}
