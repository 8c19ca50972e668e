import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { ApiError } from '@kontoport/errors';
import express from 'express';
import type { BodyRule } from './body-rule.ts';
import { checkShape } from './check-shape.ts';
import { parseJson } from './parse-json.ts';
import type { Step } from './request-context.ts';
import { HTTP_TEXTS } from './texts.ts';
import { bodyTooLarge, MAX_BODY_BYTES } from './to-refusal.ts';

/** Makes the steps that read and check a body (§4): 415, 413, then 400 with `details`. A route without a body rule reads none. */
export function readBody(rule: BodyRule | undefined): Step[] {
  if (rule === undefined) return [];
  const isAbsent = (request: IncomingMessage): boolean => rule.optional === true && !hasBody(request);
  // JSON unless a clause says otherwise (§4).
  const expected = rule.json ? 'application/json' : 'application/x-www-form-urlencoded';
  return [
    function requireMediaType(request, _response, next) {
      const given = request.headers['content-type'];
      const isExpected = given !== undefined && request.is(expected) !== false && isUtf8(given);
      if (!isExpected && !isAbsent(request))
        throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('media-type', { expected }), { status: 415 });
      next();
    },
    readBytes,
    function checkBody(request, response, next) {
      if (!isAbsent(request)) {
        const text = decodeUtf8(request.body);
        response.locals.context.body = rule.json
          ? checkShape(rule.json, parseJson(text), 'body')
          : checkShape(rule.form, parseForm(text), 'body');
      }
      next();
    },
  ];
}

const parseRaw: Step = express.raw({ limit: MAX_BODY_BYTES, inflate: false, type: () => true });

/**
 * Reads the bytes of a body with Express's parser. The parser reads a body that is too long to its end before it refuses it, so
 * a caller that never ends would get no answer; here it gets one at the limit.
 */
const readBytes: Step = function readBytes(request, response, next) {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw bodyTooLarge();
  if (request.headers['transfer-encoding'] === undefined) return parseRaw(request, response, next);
  let received = 0;
  let isRefused = false;
  // Events of the request run outside of its trace.
  const refuse = AsyncResource.bind(() => next(bodyTooLarge()));
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    if (received <= MAX_BODY_BYTES || isRefused) return;
    isRefused = true;
    refuse();
  };
  request.on('data', count);
  parseRaw(request, response, (error?: unknown) => {
    // Prevents a second refusal after the parser's own.
    request.off('data', count);
    if (!isRefused) next(error);
  });
};

/** Whether a request announces a body (RFC 9112 §6). */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isUtf8(mediaType: string): boolean {
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]*)/i.exec(mediaType) ?? [];
  return charset.toLowerCase() === 'utf-8';
}

/** Parses the fields of a form. @throws ApiError FORMAT_ERROR for a duplicate name */
function parseForm(text: string): Record<string, string> {
  // URLSearchParams would drop a question mark at the beginning.
  const fields = parse(text, '&', '=', { maxKeys: 0 });
  for (const name in fields)
    if (typeof fields[name] !== 'string') throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('form-field-twice'));
  return fields as Record<string, string>;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Express leaves no bytes of a request that announced no body. */
function decodeUtf8(bytes: unknown): string {
  if (!Buffer.isBuffer(bytes)) return '';
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('not-utf8'));
  }
}
