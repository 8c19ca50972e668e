import { sendLastSpans, sendLastSpansBy } from './last-spans.ts';

/** Longer than a test may take. */
const LONG_MS = 600_000;

describe('the last spans of a process', () => {
  it('are nobody’s business where nothing is traced', async () => {
    await expect(sendLastSpans(LONG_MS)).resolves.toBeUndefined();
  });

  it('are waited for', async () => {
    const order: string[] = [];
    const sending = Promise.withResolvers<void>();
    sendLastSpansBy(() => sending.promise);
    const sent = sendLastSpans(LONG_MS).then(() => order.push('sent'));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('taken');
    sending.resolve();
    await sent;
    expect(order).toEqual(['taken', 'sent']);
  });

  it('are lost where they cannot be sent', async () => {
    sendLastSpansBy(() => Promise.reject(new Error('away')));
    await expect(sendLastSpans(LONG_MS)).resolves.toBeUndefined();
  });

  it('are lost where that takes too long', async () => {
    sendLastSpansBy(() => new Promise(() => {}));
    await expect(sendLastSpans(1)).resolves.toBeUndefined();
  });
});
