import { ERROR_CODES } from '@kontoport/errors';
import { roundRobin } from '@kontoport/fairness';
import { call } from '@kontoport/grpc';
import type { AnsweredRequest } from '@kontoport/http';
import { type Logger, Loop } from '@kontoport/lifecycle';
import { RecordRequestsRequest, RequestLogServiceClient } from '@kontoport/proto/requests/v1';
import { counter } from '@kontoport/telemetry';
import type { ConnectPeer } from './start-service.ts';

/** The path of the log. Its own requests are not recorded: those of a reader that polls would displace all others. */
export const REQUEST_LOG_PATH = '/sandbox/requests';

const EVERY_MS = 500;
/** Requests of one organization that wait to be sent. A new one beyond it replaces the oldest. */
const MAX_OF_ORGANIZATION = 500;
/** Requests of all organizations that wait to be sent. A new one beyond it is lost. */
const MAX_WAITING = 10_000;
/** Requests of one call. */
const MAX_SENT = 500;

const lost = counter({
  name: 'kontoport.request_log.lost',
  help: 'Answered requests that are missing in the request log: too many waited, or the log was unavailable.',
});

/** The requests that wait to be sent. */
export class WaitingRequests {
  readonly #byOrganization = new Map<string, AnsweredRequest[]>();
  #size = 0;

  add(request: AnsweredRequest): void {
    const { organization, route } = request;
    if (route === REQUEST_LOG_PATH) return;
    const own = this.#byOrganization.get(organization);
    if (own?.length === MAX_OF_ORGANIZATION) {
      own.shift();
      own.push(request);
      lost.add(1);
      return;
    }
    if (this.#size === MAX_WAITING) return lost.add(1);
    this.#size += 1;
    if (own === undefined) this.#byOrganization.set(organization, [request]);
    else own.push(request);
  }

  /** Removes all requests and returns them, those of the organizations in turn. */
  takeAll(): AnsweredRequest[] {
    const requests = [...this.#byOrganization.values()].flat();
    this.#byOrganization.clear();
    this.#size = 0;
    return roundRobin(requests, { keyOf: ({ organization }) => organization });
  }
}

/** Sends the answered requests to the request log of the sandbox, in batches and outside of requests. */
export function openRequestLog({
  address,
  connect,
  logger,
}: {
  /** `host:port` of account-information. */
  address: string;
  connect: ConnectPeer;
  logger: Logger;
}): { recordRequest: (request: AnsweredRequest) => void; loop: Loop } {
  const client = connect(RequestLogServiceClient, address);
  const waiting = new WaitingRequests();
  const send = async (): Promise<void> => {
    const requests = waiting.takeAll();
    let sent = 0;
    try {
      for (; sent < requests.length; sent += MAX_SENT) {
        const batch = requests.slice(sent, sent + MAX_SENT).map(requestToRpc);
        await call(client, client.recordRequests, RecordRequestsRequest.fromPartial({ requests: batch }));
      }
    } finally {
      lost.add(Math.max(0, requests.length - sent));
    }
  };
  const loop = new Loop({ name: 'request log', everyMs: EVERY_MS, work: send, finish: send, logger });
  return { recordRequest: (request) => waiting.add(request), loop };
}

/** A path of declared members. Another one could be a member that the caller invented, and so hold any text. */
const DECLARED = /^[A-Za-z_-]{1,40}(?:\.(?:[A-Za-z_-]{1,40}|\d{1,3})){0,9}$/;

function requestToRpc({ refusal, ...request }: AnsweredRequest) {
  if (refusal === undefined) return request;
  const isOfDeclared = refusal.details.every(({ path }) => path === '' || DECLARED.test(path));
  const message = isOfDeclared ? refusal.message : ERROR_CODES[refusal.code].cause.en;
  return { ...request, errorCode: refusal.code, message };
}
