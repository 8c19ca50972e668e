import {
  AuthorizeRequest,
  EnrichRequest,
  FailRequest,
  IngestEntry,
  InitiateRequest,
  PostRequest,
  PutAccountRequest,
  ScheduleRequest,
  SettleRequest,
  VoidRequest,
} from '@kontoport/proto/accounts/v1';

/** What a line asks for. */
export type Asked =
  | { kind: 'entry'; entry: NonNullable<IngestEntry['entry']> }
  | { kind: 'account'; account: PutAccountRequest };

/** What a line can hold: one object with one of these members, whose fields are those of the request, in camel case. */
const READERS: Readonly<Record<string, (fields: unknown) => Asked>> = {
  account: (fields) => ({ kind: 'account', account: PutAccountRequest.fromJSON(fields) }),
  post: (fields) => ({ kind: 'entry', entry: { $case: 'post', value: PostRequest.fromJSON(fields) } }),
  authorize: (fields) => ({
    kind: 'entry',
    entry: { $case: 'authorize', value: AuthorizeRequest.fromJSON(fields) },
  }),
  initiate: (fields) => ({
    kind: 'entry',
    entry: { $case: 'initiate', value: InitiateRequest.fromJSON(fields) },
  }),
  schedule: (fields) => ({
    kind: 'entry',
    entry: { $case: 'schedule', value: ScheduleRequest.fromJSON(fields) },
  }),
  settle: (fields) => ({ kind: 'entry', entry: { $case: 'settle', value: SettleRequest.fromJSON(fields) } }),
  fail: (fields) => ({ kind: 'entry', entry: { $case: 'fail', value: FailRequest.fromJSON(fields) } }),
  void: (fields) => ({ kind: 'entry', entry: { $case: 'void', value: VoidRequest.fromJSON(fields) } }),
  enrich: (fields) => ({ kind: 'entry', entry: { $case: 'enrich', value: EnrichRequest.fromJSON(fields) } }),
};

/** What a line can hold, for people. */
export const KINDS = Object.keys(READERS).join(', ');

/** Reads a line. @throws Error that says what is wrong with it */
export function readLine(text: string): Asked {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  const [[kind, fields] = [], more] = typeof line === 'object' && line !== null ? Object.entries(line) : [];
  if (kind === undefined || more !== undefined || !Object.hasOwn(READERS, kind))
    throw new Error(`must be an object with one member: ${KINDS}`);
  if (typeof fields !== 'object' || fields === null) throw new Error(`${kind} must be an object`);
  const asked = READERS[kind]!(fields);
  // What has no place in a message, such as a time that is none, would break the whole stream.
  if (asked.kind === 'entry') IngestEntry.encode({ number: 1n, entry: asked.entry }).finish();
  return asked;
}
