import { status as STATUS } from '@grpc/grpc-js';
import type { ErrorCode } from '@kontoport/errors';
import {
  durationsOf,
  endServerSpan,
  type Span,
  type SpanAttributes,
  startClientSpan,
} from '@kontoport/runtime';

const answers = durationsOf({
  name: 'rpc.server.call.duration',
  help: 'How long rpcs took to be answered, by method and status; error_type is the code of a refusal.',
});
const calls = durationsOf({
  name: 'rpc.client.call.duration',
  help: 'How long calls of rpcs took, until the answer or the deadline, by method and status.',
});

/**
 * Counts an answered rpc, and ends its span.
 * @param started when it came, in milliseconds of the monotonic clock
 * @param answer.path of the rpc: `/package.Service/Method`
 */
export function measureAnswer(
  started: number,
  answer: { path: string; refusal?: { status: STATUS; errorCode: ErrorCode } },
): void {
  const { path, refusal } = answer;
  const labels = {
    ...labelsOf(path, refusal?.status),
    ...(refusal === undefined ? {} : { 'error.type': refusal.errorCode }),
  };
  answers.since(started, labels);
  endServerSpan(() => ({ name: path.slice(1), attributes: labels, isError: isFault(refusal?.status) }));
}

/** Whether the conventions blame the server: what a caller did is not its fault. */
function isFault(status: STATUS | undefined): boolean {
  return status !== undefined && FAULTS.has(status);
}

const FAULTS = new Set([
  STATUS.UNKNOWN,
  STATUS.DEADLINE_EXCEEDED,
  STATUS.UNIMPLEMENTED,
  STATUS.INTERNAL,
  STATUS.UNAVAILABLE,
  STATUS.DATA_LOSS,
]);

/** @param method of a generated client, which knows its path */
export function beginCall(method: object): Span | undefined {
  return startClientSpan(() => ({ name: pathOf(method).slice(1), attributes: {} }));
}

/**
 * Counts a call that has ended, and ends its span.
 * @param started when it began, in milliseconds of the monotonic clock
 * @param call.status absent where it succeeded
 * @param call.span of `beginCall`
 */
export function measureCall(
  started: number,
  call: { method: object; status: STATUS | undefined; span: Span | undefined },
): void {
  const { method, status, span } = call;
  const labels = labelsOf(pathOf(method), status);
  calls.since(started, labels);
  if (span === undefined) return;
  const type: SpanAttributes = status === undefined ? {} : { 'error.type': STATUS[status] ?? String(status) };
  span.end({ attributes: { ...labels, ...type }, isError: status !== undefined });
}

function pathOf(method: object): string {
  return (method as { path?: string }).path ?? '/unknown';
}

function labelsOf(path: string, status: STATUS = STATUS.OK): Record<string, string> {
  return {
    'rpc.system.name': 'grpc',
    'rpc.method': path.slice(1),
    'rpc.response.status_code': STATUS[status],
  };
}
