import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { QueuedLimiter } from './queued-limiter.ts';

const refusal = (): Error => new Error('full');

describe('a concurrency limiter', () => {
  it('refuses at once beyond the bound of a key, and beyond the total', () => {
    const limiter = new ConcurrencyLimiter({ max: 3, maxPerKey: 2, refusal });
    const release = limiter.acquire('a');
    limiter.acquire('a');
    expect(() => limiter.acquire('a')).toThrow('full');
    limiter.acquire('b');
    expect(() => limiter.acquire('c')).toThrow('full');
    release();
    limiter.acquire('c');
  });

  it('frees the slot when the work fails', async () => {
    const limiter = new ConcurrencyLimiter({ max: 1, maxPerKey: 1, refusal });
    await expect(limiter.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(limiter.run('a', async () => 'done')).resolves.toBe('done');
  });
});

describe('a queued limiter', () => {
  const limits = { maxPerKey: 1, maxQueuedPerKey: 2, refusal };

  it('runs calls of a key in order, refuses those beyond the queue, and leaves other keys alone', async () => {
    const limiter = new QueuedLimiter(limits);
    const gate = Promise.withResolvers<void>();
    const ran: string[] = [];
    const call = (key: string, name: string) =>
      limiter.run(key, async () => {
        ran.push(name);
        await gate.promise;
      });
    const calls = [call('a', 'first'), call('a', 'second'), call('a', 'third')];
    await expect(call('a', 'fourth')).rejects.toThrow('full');
    const other = call('b', 'other');
    await Promise.resolve();
    expect(ran).toEqual(['first', 'other']);
    gate.resolve();
    await Promise.all([...calls, other]);
    expect(ran).toEqual(['first', 'other', 'second', 'third']);
    expect(limiter.size).toBe(0);
  });

  it('does not begin work that was aborted in the queue, and goes on after a failure', async () => {
    const limiter = new QueuedLimiter(limits);
    const abort = new AbortController();
    const first = limiter.run('a', () => Promise.reject(new Error('broken')));
    const second = limiter.run('a', async () => 'begun', { signal: abort.signal });
    const third = limiter.run('a', async () => 'done');
    abort.abort(new Error('gone'));
    await expect(first).rejects.toThrow('broken');
    await expect(second).rejects.toThrow('gone');
    await expect(third).resolves.toBe('done');
  });
});
