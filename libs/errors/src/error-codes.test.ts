import { status as grpcStatus } from '@grpc/grpc-js';
import { ApiError, toApiError } from './api-error.ts';
import { ERROR_CODES, type ErrorCode, errorCodeOf } from './error-codes.ts';

describe('the one table of errors (§7)', () => {
  it.each(Object.entries(ERROR_CODES))('%s has a status, a cause and a cure', (code, entry) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)+$|^UNAVAILABLE$/);
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(grpcStatus[entry.grpc]).toBeDefined();
    expect(entry.cause).toMatch(/\.$/);
    expect(entry.cure).toMatch(/\.$/);
  });

  it('finds a code by its text, and nothing else', () => {
    expect(errorCodeOf('FORMAT_ERROR')).toBe('FORMAT_ERROR');
    expect(errorCodeOf('toString')).toBeUndefined();
    expect(errorCodeOf(undefined)).toBeUndefined();
  });
});

describe('a refusal', () => {
  it('takes its status from the table', () => {
    expect(new ApiError('CURSOR_INVALID', 'x').status).toBe(400);
    expect(new ApiError('TOKEN_INVALID', 'x').withStatus(403).status).toBe(403);
  });

  it('keeps its details, its wait and its OAuth error under another status', () => {
    const details = [{ path: 'scope', message: 'is unknown' }];
    const refusal = new ApiError('FORMAT_ERROR', 'x', { details, oauthError: 'invalid_scope' });
    expect(refusal.withStatus(415)).toMatchObject({ status: 415, details, oauthError: 'invalid_scope' });
  });

  it('has no status that the table does not list', () => {
    expect(() => new ApiError('CURSOR_INVALID', 'x', { status: 418 })).toThrow(TypeError);
  });

  it.each<[ErrorCode, number | undefined]>([
    ['UNAVAILABLE', 1],
    ['RATE_LIMITED', 1],
    ['FORMAT_ERROR', undefined],
  ])('%s says when to repeat: %s', (code, seconds) => {
    expect(new ApiError(code, 'x').retryAfterSeconds).toBe(seconds);
  });

  it('keeps the message of an unknown failure inside', () => {
    const error = toApiError(new Error('connect ECONNREFUSED 10.0.0.1:5432'));
    expect(error.code).toBe('INTERNAL_ERROR');
    expect(error.message).not.toContain('ECONNREFUSED');
    expect((error.cause as Error).message).toContain('ECONNREFUSED');
  });
});
