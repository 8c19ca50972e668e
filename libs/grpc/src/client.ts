import { isIP } from 'node:net';
import { checkServerIdentity, type SecureContext } from 'node:tls';
import { type ChannelCredentials, type ClientOptions, credentials } from '@grpc/grpc-js';

/** Bytes of the longest message between our services. */
const MESSAGE_BYTES = 1 << 20;

/** A generated client class. */
export type ClientConstructor<Client> = new (
  address: string,
  channel: ChannelCredentials,
  options?: ClientOptions,
) => Client;

/** The server name for an IP address. The certificate is verified against the address. */
const NAMELESS = 'address.invalid';

/**
 * Creates a client of a generated service. It reconnects within seconds and detects a dead peer.
 * @param address `host:port`
 * @param tls the client's certificate and trusted authorities; the server's certificate must bear the host. Absent:
 *   plaintext
 */
export function createClient<Client>(
  constructor: ClientConstructor<Client>,
  address: string,
  tls?: SecureContext,
): Client {
  const host = hostOf(address);
  return new constructor(address, tls === undefined ? credentials.createInsecure() : channelOf(host, tls), {
    ...(tls !== undefined && isIP(host) !== 0 ? { 'grpc.ssl_target_name_override': NAMELESS } : {}),
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.min_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 3_000,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': MESSAGE_BYTES,
    // A smaller window would split each message into parts that wait for each other.
    'grpc-node.flow_control_window': MESSAGE_BYTES,
  });
}

function channelOf(host: string, tls: SecureContext): ChannelCredentials {
  return credentials.createFromSecureContext(tls, {
    rejectUnauthorized: true,
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
  });
}

/** The host of `host:port`, an IPv6 address without its brackets. */
export function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
}
