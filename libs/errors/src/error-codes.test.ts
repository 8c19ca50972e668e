import { status as grpcStatus } from '@grpc/grpc-js';
import { ApiError, detailToWire, toApiError } from './api-error.ts';
import { ERROR_CODES, type ErrorCode, errorCodeOf, GRPC_STATUS } from './error-codes.ts';
import { defineTexts, LANGUAGES, type Text, writtenText } from './text.ts';

const said = (words: string): Text => writtenText({ en: words, da: words, sv: words, nb: words });

describe('the one table of errors (§7)', () => {
  it.each(Object.entries(ERROR_CODES))('%s has a status, a cause and a cure', (code, entry) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)+$|^UNAVAILABLE$/);
    expect(entry.status).toBeGreaterThanOrEqual(400);
    for (const template of [entry.cause, entry.cure]) {
      const sentences = LANGUAGES.map((language) => template[language]);
      for (const sentence of sentences) expect(sentence).toMatch(/\.$/);
      expect(sentences.filter((sentence) => sentence === template.en)).toHaveLength(1);
    }
  });

  it.each(Object.entries(GRPC_STATUS))('names the gRPC status %s as gRPC does', (name, code) => {
    expect(grpcStatus[name as keyof typeof grpcStatus]).toBe(code);
  });

  it('finds a code by its text, and nothing else', () => {
    expect(errorCodeOf('FORMAT_ERROR')).toBe('FORMAT_ERROR');
    expect(errorCodeOf('toString')).toBeUndefined();
    expect(errorCodeOf(undefined)).toBeUndefined();
  });
});

describe('a refusal', () => {
  it('takes its status from the table', () => {
    expect(new ApiError('CURSOR_INVALID', said('x')).status).toBe(400);
    expect(new ApiError('TOKEN_INVALID', said('x')).withStatus(403).status).toBe(403);
  });

  it('keeps its details, its wait and its OAuth error under another status', () => {
    const details = [{ path: 'scope', text: said('is unknown') }];
    const refusal = new ApiError('FORMAT_ERROR', said('x'), { details, oauthError: 'invalid_scope' });
    expect(refusal.withStatus(415)).toMatchObject({ status: 415, details, oauthError: 'invalid_scope' });
  });

  it('says the same in every language, under another status, too', () => {
    const TEXTS = defineTexts({
      gone: { en: 'It is gone.', da: 'Den er væk.', sv: 'Den är borta.', nb: 'Den er borte.' },
    });
    const refusal = new ApiError('STATUS_INVALID', TEXTS('gone'));
    expect([refusal.status, refusal.message]).toEqual([409, 'It is gone.']);
    expect(refusal.withStatus(400).messageIn('sv')).toBe('Den är borta.');
  });

  it('puts the translated sentence of its code before a message that is English alone', () => {
    const refusal = new ApiError('STATUS_INVALID', defineTexts({ gone: 'It is gone.' })('gone'));
    expect(refusal.messageIn('en')).toBe('It is gone.');
    expect(refusal.messageIn('nb')).toBe(`${ERROR_CODES.STATUS_INVALID.cause.nb} It is gone.`);
  });

  it('renders its details in the language of the caller', () => {
    const TEXTS = defineTexts({ missing: { en: 'is missing', da: 'mangler', sv: 'saknas', nb: 'mangler' } });
    expect(detailToWire({ path: 'iban', text: TEXTS('missing') }, 'sv')).toEqual({
      path: 'iban',
      message: 'saknas',
    });
  });

  it('does not compile with a bare sentence', () => {
    const refused = (): unknown[] => [
      // @ts-expect-error a sentence has four languages
      new ApiError('CURSOR_INVALID', 'Start again.'),
      // @ts-expect-error a detail, too
      new ApiError('CURSOR_INVALID', said('x'), { details: [{ path: 'cursor', message: 'is old' }] }),
    ];
    expect(refused).toBeInstanceOf(Function);
  });

  it('has no status that the table does not list', () => {
    expect(() => new ApiError('CURSOR_INVALID', said('x'), { status: 418 })).toThrow(TypeError);
  });

  it.each<[ErrorCode, number | undefined]>([
    ['UNAVAILABLE', 1],
    ['RATE_LIMITED', 1],
    ['FORMAT_ERROR', undefined],
  ])('%s says when to repeat: %s', (code, seconds) => {
    expect(new ApiError(code, said('x')).retryAfterSeconds).toBe(seconds);
  });

  it('keeps the message of an unknown failure inside', () => {
    const error = toApiError(new Error('no column iban in 10.0.0.1:5432'));
    expect(error.code).toBe('INTERNAL_ERROR');
    expect(error.message).not.toContain('10.0.0.1');
    expect((error.cause as Error).message).toContain('10.0.0.1');
  });

  it('says of a dependency that is away when to repeat, and keeps the message inside', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const error = toApiError(refused);
    expect([error.code, error.status, error.retryAfterSeconds]).toEqual(['UNAVAILABLE', 503, 1]);
    expect(error.message).not.toContain('ECONNREFUSED');
    expect(error.cause).toBe(refused);
  });
});
