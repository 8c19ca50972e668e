/** A connection that the egress guard refused; nothing was sent. */
export class EgressForbidden extends Error {
  override readonly name = 'EgressForbidden';
}

/** No connection was made in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

/** There was no answer, or not the whole of it, within the limit of time. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
}

/** The connection cannot be made, or has ended too soon. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** What a peer says is no answer of HTTP/1.1, as strictly as it is read here. The message names the rule, and quotes nothing. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** A head, or what follows the last chunk, is longer than may be. */
export class HeadTooLong extends Error {
  override readonly name = 'HeadTooLong';
}

/** A peer answers with more than it may, whatever it is. */
export class EndlessAnswer extends Error {
  override readonly name = 'EndlessAnswer';
}

/** A body is longer than whoever asked wants. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}
