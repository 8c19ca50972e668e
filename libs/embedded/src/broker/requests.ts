import { ProtocolError, Reader, Writer } from './bytes.ts';
import { type Cluster, createTopics, findCoordinator, metadata } from './cluster-requests.ts';
import { ERROR } from './error-codes.ts';
import { fetchRecords } from './fetch.ts';
import {
  commitOffsets,
  fetchOffsets,
  heartbeat,
  joinGroup,
  leaveGroup,
  syncGroup,
} from './group-requests.ts';
import { initProducerId, listOffsets, produce } from './log-requests.ts';

/** The context of a request. */
export interface RequestContext extends Cluster {
  clientId: string;
  /** Aborted when the broker stops. */
  signal: AbortSignal;
}

interface Api {
  key: number;
  /** The lowest and highest supported version, none with tagged fields. */
  versions: readonly [number, number];
  /** False: nothing is answered. */
  answer(request: Reader, answer: Writer, context: RequestContext): Promise<void> | boolean | void;
}

/** The requests that the broker supports. */
const APIS: readonly Api[] = [
  { key: 0, versions: [7, 7], answer: produce },
  { key: 1, versions: [11, 11], answer: fetchRecords },
  { key: 2, versions: [2, 3], answer: listOffsets },
  { key: 3, versions: [5, 6], answer: metadata },
  { key: 8, versions: [5, 5], answer: commitOffsets },
  { key: 9, versions: [3, 4], answer: fetchOffsets },
  { key: 10, versions: [1, 2], answer: findCoordinator },
  { key: 11, versions: [5, 5], answer: joinGroup },
  { key: 12, versions: [3, 3], answer: heartbeat },
  { key: 13, versions: [3, 3], answer: leaveGroup },
  { key: 14, versions: [3, 3], answer: syncGroup },
  { key: 18, versions: [0, 2], answer: () => {} },
  { key: 19, versions: [2, 3], answer: createTopics },
  { key: 22, versions: [0, 1], answer: initProducerId },
];
const BY_KEY = new Map(APIS.map((api) => [api.key, api]));
const API_VERSIONS = 18;

/**
 * Answers a request.
 * @param frame the request without its length
 * @returns the answer without its length; undefined if the client wants none
 * @throws ProtocolError for an unsupported request
 */
export async function answerRequest(
  frame: Buffer,
  context: Omit<RequestContext, 'clientId'>,
): Promise<Buffer | undefined> {
  const request = new Reader(frame);
  const key = request.int16();
  const version = request.int16();
  const answer = new Writer().int32(request.int32());
  const api = BY_KEY.get(key);
  if (key === API_VERSIONS) {
    tellVersions(answer, version);
    return answer.finish();
  }
  if (api === undefined || version < api.versions[0] || version > api.versions[1])
    throw new ProtocolError(`request ${key} of version ${version} is not known here`);
  const clientId = request.nullableString() ?? '';
  const wanted = await api.answer(request, answer, { ...context, clientId });
  return wanted === false ? undefined : answer.finish();
}

/** Answers ApiVersions. A client begins with its newest version, and gets the oldest form for one that is too new. */
function tellVersions(answer: Writer, version: number): void {
  const known = version <= BY_KEY.get(API_VERSIONS)!.versions[1];
  answer.int16(known ? ERROR.none : ERROR.unsupportedVersion);
  answer.array(APIS, ({ key, versions: [lowest, highest] }) => {
    answer.int16(key).int16(lowest).int16(highest);
  });
  if (known && version >= 1) answer.int32(0);
}
