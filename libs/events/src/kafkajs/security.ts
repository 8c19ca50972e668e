import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, KafkaConfig, SASLOptions } from 'kafkajs';
import type { KafkaAccess, SaslAccess } from '../kafka-config.ts';

const KEEP_ALIVE_MS = 60_000;
/** Milliseconds before a session's end; less than the reserve with which tokens are fetched. */
const AUTHENTICATE_AGAIN_MS = 5_000;

/** TLS and SASL in the form of kafkajs; everything that may be rotated is read at each connection. */
export function connectionOptions({
  tls,
  sasl,
}: KafkaAccess): Pick<KafkaConfig, 'socketFactory' | 'sasl' | 'ssl' | 'reauthenticationThreshold'> {
  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket =
      tls === undefined
        ? connectTcp({ host, port }, onConnect)
        : connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls() }, onConnect);
    // A request is one write, and the next one follows before the first is acknowledged.
    return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  };
  return {
    socketFactory,
    reauthenticationThreshold: AUTHENTICATE_AGAIN_MS,
    ssl: tls !== undefined,
    ...(sasl === undefined ? {} : { sasl: saslOptions(sasl) }),
  };
}

function saslOptions(sasl: SaslAccess): SASLOptions {
  if (sasl.mechanism === 'oauthbearer')
    return { mechanism: 'oauthbearer', oauthBearerProvider: async () => ({ value: await sasl.token() }) };
  const { mechanism, username, password } = sasl;
  return {
    mechanism,
    username,
    // kafkajs reads it with each authentication.
    get password() {
      return password();
    },
  };
}
