import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createTrustedAgent, type HttpAgent } from '@kontoport/egress';
import { diag } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { CollectorSettings } from './collector-settings.ts';
import type { ErrorLog } from './live.ts';
import { counterOf } from './metrics.ts';
import { liveContext } from './tls-files.ts';
import { VERSION } from './version.ts';

const FORMS = {
  'http/protobuf': { type: 'application/x-protobuf', serializer: ProtobufTraceSerializer },
  'http/json': { type: 'application/json', serializer: JsonTraceSerializer },
} as const;
/** A collector says that it took what was sent, or how much of it not; with all that stands around. */
const MOST_ANSWER_BYTES = 16 * 1024;
/** One follows the other, but for the last ones, which are sent together. */
const CONNECTIONS = 4;
/** It is sent again then (OTLP/HTTP, failures). */
const TEMPORARY = [429, 502, 503, 504];
const FIRST_WAIT_MS = 1_000;
const WAIT_GROWS = 1.5;
/** Each wait is shorter by up to this share of it: those that were refused together do not come again together. */
const JITTER = 0.2;

const exported = counterOf({
  name: 'otel.sdk.exporter.span.exported',
  help: 'Spans that the collector took; error_type: those that it rejected, or that failed to reach it.',
});

const REJECTED = { 'error.type': 'rejected' };
const FAILED = { 'error.type': 'failed' };

/** A log that hears when spans no longer reach the collector, and when they do again. */
interface CollectorLog extends ErrorLog {
  warn(fields: { fault: string }, message: string): void;
  info(message: string): void;
}

/** Why it was not taken. */
interface Refusal {
  fault: string;
  /** Milliseconds after which it may be, at the soonest; absent: it never will. */
  againAfterMs?: number;
}

const pack = promisify(gzip);

/**
 * Sends spans to a collector, as OTLP over HTTP. Of its answer 16 kB are read, with all that frames it, and it is waited for no longer
 * than for everything. It does not go by Node's client of HTTP, which shares code with its server that V8 then compiles for both
 * (ADR 121).
 */
export class Collector implements SpanExporter {
  readonly #settings: CollectorSettings;
  readonly #headers: readonly string[];
  readonly #agent: HttpAgent;
  readonly #ended = new AbortController();
  readonly #logger: CollectorLog;
  #isFailing = false;

  constructor(settings: CollectorSettings, logger: CollectorLog) {
    const { protocol, headers, isPacked, tls, limitMs } = settings;
    this.#settings = settings;
    this.#logger = logger;
    this.#headers = [
      'user-agent',
      `kontoport/${VERSION}`,
      'content-type',
      FORMS[protocol].type,
      ...(isPacked ? ['content-encoding', 'gzip'] : []),
      ...headers,
    ];
    // A rate sees no count that begins with 1.
    for (const labels of [undefined, REJECTED, FAILED]) exported.add(0, labels);
    const report = (fault: string): void =>
      logger.error({ fault }, 'the last good TLS files for the collector stay');
    this.#agent = createTrustedAgent({
      secureContext: tls && liveContext(() => tls(report)),
      connectTimeout: limitMs,
      connections: CONNECTIONS,
      answerBytes: MOST_ANSWER_BYTES,
    });
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const { serializer } = FORMS[this.#settings.protocol];
    this.#send(serializer.serializeRequest(spans)).then(
      (said) => {
        // A negative number comes as one of 64 bits.
        const rejected = said > Number.MAX_SAFE_INTEGER ? 0 : Math.min(Math.max(said, 0), spans.length);
        exported.add(spans.length - rejected);
        if (rejected > 0) exported.add(rejected, REJECTED);
        this.#tell(undefined);
        done({ code: ExportResultCode.SUCCESS });
      },
      (error: Error) => {
        exported.add(spans.length, FAILED);
        this.#tell(error.message);
        done({ code: ExportResultCode.FAILED, error });
      },
    );
  }

  /** Gives up what is under way. */
  async shutdown(): Promise<void> {
    this.#ended.abort();
    await this.#agent.destroy();
  }

  /** Says it once until it is otherwise. */
  #tell(fault: string | undefined): void {
    const isFailing = fault !== undefined;
    if (isFailing === this.#isFailing || this.#ended.signal.aborted) return;
    this.#isFailing = isFailing;
    if (isFailing) this.#logger.warn({ fault }, 'spans do not reach the collector');
    else this.#logger.info('spans reach the collector again');
  }

  /** @returns how many the collector says that it rejects. @throws Error that says why they could not be sent */
  async #send(spans: Uint8Array | undefined): Promise<number> {
    const { isPacked, limitMs } = this.#settings;
    const until = performance.now() + limitMs;
    const body = spans && isPacked ? await pack(spans) : spans;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs *= WAIT_GROWS) {
      const outcome = await this.#try(body, until - performance.now());
      if ('rejected' in outcome) return outcome.rejected;
      const { fault, againAfterMs = Infinity } = outcome;
      const ms = Math.max(waitMs * (1 - JITTER * Math.random()), againAfterMs);
      if (performance.now() + ms >= until) throw new Error(fault);
      await pause(ms, undefined, { signal: this.#ended.signal });
    }
  }

  async #try(body: Uint8Array | undefined, timeLimit: number): Promise<Refusal | { rejected: number }> {
    const { origin, pathname, search } = this.#settings.url;
    const { answer, fault } = await this.#agent.exchange({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: this.#headers,
      body,
      maxBytes: MOST_ANSWER_BYTES,
      keptBytes: () => MOST_ANSWER_BYTES,
      timeLimit,
    });
    if (answer === undefined) return { fault: `the collector: ${fault?.message}`, againAfterMs: 0 };
    const { status, retryAfter = '' } = answer;
    if (status < 300) return { rejected: fault === undefined ? this.#rejectedIn(answer.body) : 0 };
    const seconds = /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 0;
    return {
      fault: `the collector answers ${status}`,
      ...(TEMPORARY.includes(status) && { againAfterMs: seconds * 1_000 }),
    };
  }

  /** What it has taken may be a part of what was sent. */
  #rejectedIn(answer: Uint8Array): number {
    if (answer.length === 0) return 0;
    try {
      const { serializer } = FORMS[this.#settings.protocol];
      const { rejectedSpans, errorMessage } = serializer.deserializeResponse(answer).partialSuccess ?? {};
      if (rejectedSpans || errorMessage)
        diag.warn(
          `the collector does not take ${rejectedSpans ?? 0} spans: ${JSON.stringify(errorMessage ?? '')}`,
        );
      return Math.trunc(Number(rejectedSpans)) || 0;
    } catch {
      diag.warn('the collector answers what is no OTLP');
      return 0;
    }
  }
}
