import { type ChannelCredentials, type ClientOptions, credentials } from '@grpc/grpc-js';

/** No message between our services is longer. */
const MESSAGE_BYTES = 1 << 20;

type ClientConstructor<Client> = new (
  address: string,
  channel: ChannelCredentials,
  options?: ClientOptions,
) => Client;

/** A client of a generated service that reconnects by itself within seconds, and notices a dead peer. */
export function createClient<Client>(
  constructor: ClientConstructor<Client>,
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
): Client {
  return new constructor(address, channel, {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.min_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 3_000,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': MESSAGE_BYTES,
    // With less than a message, each goes in pieces that wait for each other.
    'grpc-node.flow_control_window': MESSAGE_BYTES,
  });
}
