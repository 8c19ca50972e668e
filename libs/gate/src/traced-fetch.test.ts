import { continueTrace } from '@kontoport/runtime';
import { recordSpans } from '@kontoport/testing/recorded-spans';
import { tracedKeys, tracedLookUp } from './traced-fetch.ts';

const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const sampled = `00-${TRACE}-${PARENT}-01`;
const unsampled = `00-${TRACE}-${PARENT}-00`;

let spans: ReturnType<typeof recordSpans>;
beforeAll(() => {
  spans = recordSpans();
});
afterAll(() => spans.close());

const CALL = { kind: 'CLIENT', traceId: TRACE, spanId: expect.any(String), parentSpanId: PARENT, links: [] };

describe('the span of a request for the keys of tokens', () => {
  /** Asks; returns the `traceparent` that was sent. */
  async function ask(traceparent: string, answer: () => Promise<Response>): Promise<string | null> {
    const headers = new Headers();
    const keys = tracedKeys(answer);
    const options = {
      headers,
      method: 'GET' as const,
      redirect: 'manual' as const,
      signal: AbortSignal.any([]),
    };
    await continueTrace(traceparent, () => keys('http://auth.test:8080/hidden?hidden', options)).catch(
      () => {},
    );
    return headers.get('traceparent');
  }
  const where = {
    'http.request.method': 'GET',
    'url.full': 'http://auth.test:8080',
    'server.address': 'auth.test',
    'server.port': 8080,
  };

  it.each([
    ['200', async () => new Response('{}'), { 'http.response.status_code': 200 }, false],
    ['500', async () => new Response('', { status: 500 }), { 'http.response.status_code': 500 }, true],
    ['none', () => Promise.reject(new TypeError('hidden')), { 'error.type': 'TypeError' }, true],
  ])('tells with whom it speaks, and its end: %s', async (_title, answer, end, isError) => {
    const sent = await ask(sampled, answer);
    const ended = spans.take();
    expect(ended).toEqual([{ ...CALL, name: 'GET', attributes: { ...where, ...end }, isError }]);
    expect(sent).toBe(`00-${TRACE}-${ended[0]!.spanId}-01`);
  });

  it('is not made in a trace that is not sampled', async () => {
    expect(await ask(unsampled, async () => new Response('{}'))).toBeNull();
    expect(spans.take()).toEqual([]);
  });
});

describe('the span of a revocation look-up', () => {
  const request = {
    url: 'https://ocsp.test/hidden',
    method: 'POST' as const,
    headers: {},
    maxBytes: 1,
    timeLimit: 1,
  };

  it.each([
    [{ bytes: new Uint8Array() }, { 'http.response.status_code': 200 }, false],
    [{ fault: 'cannot be reached', isTemporary: true }, { 'error.type': 'cannot be reached' }, true],
  ])('tells with whom it speaks, and its end', async (fetched, end, isError) => {
    const answer = await continueTrace(sampled, () => tracedLookUp(async () => fetched, request));
    expect(answer).toBe(fetched);
    const attributes = {
      'http.request.method': 'POST',
      'url.full': 'https://ocsp.test',
      'server.address': 'ocsp.test',
      'server.port': 443,
      ...end,
    };
    expect(spans.take()).toEqual([{ ...CALL, name: 'POST', attributes, isError }]);
  });

  it('is not made of an address that is none, nor in a trace that is not sampled', async () => {
    const fetched = { fault: 'is no http or https URL', isTemporary: false };
    await continueTrace(sampled, () => tracedLookUp(async () => fetched, { ...request, url: 'hidden' }));
    await continueTrace(unsampled, () => tracedLookUp(async () => fetched, request));
    expect(spans.take()).toEqual([]);
  });
});
