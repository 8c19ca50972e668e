import type { Socket } from 'node:net';

/** A peer answers with more than it may, whatever it is. */
export class EndlessAnswer extends Error {
  override readonly name = 'EndlessAnswer';
}

/**
 * Ends a connection whose peer answers one request with more than `most` bytes, whatever they are: undici limits headers,
 * and hands on bodies, but takes a reason, an extension of a chunk, trailers or line ends without any end. Counted is what
 * was read since something was last written; what still lies in the buffer is not.
 */
export function boundAnswers(socket: Socket, most: number): void {
  let written = 0;
  let before = 0;
  socket.on('readable', () => {
    const read = socket.bytesRead - socket.readableLength;
    if (socket.bytesWritten !== written) [written, before] = [socket.bytesWritten, read];
    else if (read - before > most) socket.destroy(new EndlessAnswer('an answer without end'));
  });
}
