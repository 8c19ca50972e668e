import { IngestEntry, PutAccountRequest } from '@kontoport/proto/accounts/v1';

/** The request in a line. */
export type Asked =
  | { kind: 'entry'; entry: NonNullable<IngestEntry['entry']> }
  | { kind: 'account'; account: PutAccountRequest };

/** The members that a line can have: an account, or an entry of the stream in the JSON form of protobuf. */
const KINDS = ['account', 'post', 'authorize', 'initiate', 'schedule', 'settle', 'fail', 'void', 'enrich'];

/** Reads a line. @throws Error that names the fault */
export function readLine(text: string): Asked {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  const [[kind, fields] = [], more] = typeof line === 'object' && line !== null ? Object.entries(line) : [];
  if (kind === undefined || more !== undefined || !KINDS.includes(kind))
    throw new Error(`must be an object with one member: ${KINDS.join(', ')}`);
  if (typeof fields !== 'object' || fields === null) throw new Error(`${kind} must be an object`);
  if (kind === 'account') return { kind, account: PutAccountRequest.fromJSON(fields) };
  const { entry } = IngestEntry.fromJSON({ [kind]: fields });
  // A value that does not fit a message, such as a malformed time, would break the whole stream.
  IngestEntry.encode({ number: 1n, entry }).finish();
  return { kind: 'entry', entry: entry! };
}
