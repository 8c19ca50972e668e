import { Lifecycle } from './lifecycle.ts';

describe('what is open', () => {
  it('closes in reverse, waits for what is still opening, and goes on after a failure', async () => {
    const closed: string[] = [];
    const lifecycle = new Lifecycle();
    lifecycle.own('first', { close: async () => void closed.push('first') });
    let opened: (part: { close: () => Promise<void> }) => void = () => {};
    void lifecycle.ownOpening(
      'slow',
      new Promise<{ close: () => Promise<void> }>((resolve) => (opened = resolve)),
    );
    lifecycle.ownOpening('never opened', Promise.reject(new Error('no'))).catch(() => undefined);
    lifecycle.own('broken', { close: () => Promise.reject(new Error('broken')) });
    const failures: unknown[] = [];
    const closing = lifecycle.close({ error: (fields) => void failures.push(fields) });
    expect(closed).toEqual([]);
    opened({ close: async () => void closed.push('slow') });
    await closing;
    expect(closed).toEqual(['slow', 'first']);
    expect(failures).toMatchObject([{ resource: 'broken', error: { message: 'broken' } }]);
  });
});
