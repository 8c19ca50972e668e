import type { Socket } from 'node:net';
import { EgressFault } from './faults.ts';

/** Maximum TLS messages (handshakes, tickets, key updates) of one connection; the byte limits do not count them. */
const MAX_TLS_EVENTS = 100;

/**
 * Ends a connection whose peer sends more bytes for one answer than `answerBytes`, whatever they are (reason phrase, interim
 * answers, chunk extensions), or TLS messages without end. Call it once the socket is connected.
 */
export function boundPeer<S extends Socket>(socket: S, answerBytes: number): S {
  let written = 0;
  let before = 0;
  let read = 0;
  socket.on('readable', () => {
    // Bytes read before the latest request belong to earlier answers.
    if (socket.bytesWritten !== written) [written, before] = [socket.bytesWritten, read];
    read = socket.bytesRead;
    if (read - before > answerBytes)
      socket.destroy(new EgressFault('answer-too-long', 'the answer is too long'));
  });
  let events = 0;
  const count = (): void => {
    events += 1;
    if (events > MAX_TLS_EVENTS) socket.destroy(new EgressFault('answer-too-long', 'too many TLS messages'));
  };
  // OpenSSL writes a line for a key log with each new key, and Node repeats secureConnect with each renegotiation.
  return socket.on('session', count).on('keylog', count).on('secureConnect', count);
}
