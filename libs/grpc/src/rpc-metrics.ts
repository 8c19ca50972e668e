import { status as STATUS } from '@grpc/grpc-js';
import type { ErrorCode } from '@kontoport/errors';
import { durationHistogram } from '@kontoport/telemetry';
import { trace } from '@opentelemetry/api';

const answers = durationHistogram({
  name: 'rpc.server.call.duration',
  help: 'Duration of answered rpcs, by method and status; error_type is the code of a rejection.',
});
const calls = durationHistogram({
  name: 'rpc.client.call.duration',
  help: 'Duration of calls to rpcs, until the answer or the deadline, by method and status.',
});

/**
 * Counts an answered rpc, and adds the code of a refusal to its span.
 * @param started when it came, in milliseconds of the monotonic clock
 * @param answer.path of the rpc: `/package.Service/Method`
 */
export function measureAnswer(
  started: number,
  answer: { path: string; refusal?: { status: STATUS; errorCode: ErrorCode } },
): void {
  const { path, refusal } = answer;
  answers.since(started, {
    ...labelsOf(path, refusal?.status),
    ...(refusal === undefined ? {} : { 'error.type': refusal.errorCode }),
  });
  if (refusal !== undefined) trace.getActiveSpan()?.setAttribute('kontoport.error_code', refusal.errorCode);
}

/**
 * Counts a call that ended.
 * @param started the start of the call, in milliseconds of the monotonic clock
 * @param call.method a method of a generated client, which has its path
 * @param call.status absent for success
 */
export function measureCall(started: number, call: { method: object; status: STATUS | undefined }): void {
  calls.since(started, labelsOf(pathOf(call.method), call.status));
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
