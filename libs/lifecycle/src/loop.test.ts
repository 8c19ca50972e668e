import { jest } from '@jest/globals';
import { ApiError } from '@kontoport/errors';
import { activeTraceparent, continueTrace, tracer } from '@kontoport/telemetry';
import { recordSpans } from '@kontoport/testing/recorded-spans';
import { said } from '@kontoport/testing/said';
import { Loop, type LoopOptions } from './loop.ts';

/** Logged lines: level, message and failures. */
let logged: { level: string; msg: string; failures?: number }[];
let runs: number;
const loops: Loop[] = [];

beforeEach(() => {
  jest.useFakeTimers();
  logged = [];
  runs = 0;
});
afterEach(async () => {
  await Promise.all(loops.splice(0).map((loop) => loop.close()));
  jest.useRealTimers();
});

function loopOf(options: Partial<LoopOptions> = {}): Loop {
  const note =
    (level: string) =>
    (fields: { failures?: number }, msg: string): void => {
      const { failures } = fields;
      logged.push({ level, msg, ...(failures === undefined ? {} : { failures }) });
    };
  const logger = { info: note('info'), warn: note('warn'), error: note('error') };
  const loop = new Loop({
    name: 'test',
    everyMs: 1_000,
    logger: logger as unknown as LoopOptions['logger'],
    ...options,
    work: async (signal) => {
      runs++;
      return options.work?.(signal);
    },
  });
  loops.push(loop);
  return loop;
}

/** Work that lasts until it is released, and how many ran at the same time. */
function slowWork() {
  const waiting: (() => void)[] = [];
  const seen = { atOnce: 0, most: 0 };
  return {
    seen,
    work: async (): Promise<void> => {
      seen.most = Math.max(seen.most, ++seen.atOnce);
      await new Promise<void>((resolve) => waiting.push(resolve));
      seen.atOnce--;
    },
    release: async (): Promise<void> => {
      waiting.shift()?.();
      await jest.advanceTimersByTimeAsync(0);
    },
  };
}

const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

describe('a loop', () => {
  it('does not run before it is started, woken or not', async () => {
    const loop = loopOf();
    loop.wake();
    await pass(5_000);
    expect(runs).toBe(0);
    loop.start();
    expect(runs).toBe(1);
  });

  it('runs at once and then after each pause', async () => {
    const loop = loopOf();
    loop.start();
    loop.start();
    await pass(999);
    expect(runs).toBe(1);
    await pass(1);
    expect(runs).toBe(2);
    await pass(2_000);
    expect(runs).toBe(4);
  });

  it('runs at once when woken during a pause, and pauses from then on', async () => {
    const loop = loopOf();
    loop.start();
    await pass(600);
    loop.wake();
    await pass(0);
    expect(runs).toBe(2);
    await pass(999);
    expect(runs).toBe(2);
    await pass(1);
    expect(runs).toBe(3);
  });

  it('runs once more when woken during a run, and never twice at a time', async () => {
    const { seen, work, release } = slowWork();
    const loop = loopOf({ work });
    loop.start();
    loop.wake();
    loop.wake();
    await pass(10_000);
    expect(runs).toBe(1);
    await release();
    expect(runs).toBe(2);
    await release();
    await pass(999);
    expect({ runs, ...seen }).toEqual({ runs: 2, atOnce: 0, most: 1 });
  });

  it('takes the pause from its work: 0 goes on at once', async () => {
    const pauses = [0, 0, 5_000];
    const loop = loopOf({ work: () => pauses.shift() });
    loop.start();
    await pass(4_999);
    expect(runs).toBe(3);
    await pass(1);
    expect(runs).toBe(4);
    await pass(1_000);
    expect(runs).toBe(5);
  });
});

describe('a loop that fails', () => {
  it('goes on at its interval, and logs an outage and its end once each', async () => {
    const loop = loopOf({
      work: () => {
        if (runs < 4) throw new Error('away');
      },
    });
    loop.start();
    await pass(10_000);
    expect(runs).toBe(11);
    expect(logged).toEqual([
      { level: 'error', msg: 'loop failed, will retry' },
      { level: 'info', msg: 'loop recovered', failures: 3 },
    ]);
  });

  it('warns only when something that it needs is away', async () => {
    const loop = loopOf({
      work: () => Promise.reject(new ApiError('UNAVAILABLE', said('The database does not answer.'))),
    });
    loop.start();
    await pass(0);
    expect(logged).toEqual([{ level: 'warn', msg: 'loop failed, will retry' }]);
  });

  it('pauses longer with every failure, up to a limit, and is itself again after a success', async () => {
    const failing = [true, true, true, true, false, true];
    const loop = loopOf({
      everyMs: 10_000,
      retryMs: { first: 100, longest: 350 },
      work: () => {
        if (failing.shift()) throw new Error('away');
      },
    });
    loop.start();
    const after = async (milliseconds: number): Promise<number> => {
      await pass(milliseconds - 1);
      const before = runs;
      await pass(1);
      expect(runs).toBe(before + 1);
      return runs;
    };
    expect([await after(100), await after(200), await after(350), await after(350)]).toEqual([2, 3, 4, 5]);
    expect(await after(10_000)).toBe(6);
    expect(await after(100)).toBe(7);
  });

  it('is not driven by wake-ups: they say that there is work, not that the outage is over', async () => {
    const loop = loopOf({
      work: () => {
        if (runs === 1) throw new Error('away');
      },
    });
    loop.start();
    await pass(0);
    for (let i = 0; i < 20; i++) {
      loop.wake();
      await pass(1);
    }
    expect(runs).toBe(1);
    await pass(980);
    expect(runs).toBe(2);
    loop.wake();
    await pass(0);
    expect(runs).toBe(3);
  });

  it('keeps its pause when it was woken during the run that failed', async () => {
    const { work, release } = slowWork();
    const loop = loopOf({
      work: async () => {
        await work();
        throw new Error('away');
      },
    });
    loop.start();
    loop.wake();
    await release();
    expect(runs).toBe(1);
    await pass(1_000);
    expect(runs).toBe(2);
    await release();
  });
});

describe('closing a loop', () => {
  it('waits for the run in progress, tells it by its signal, and lets none follow', async () => {
    const { work, release } = slowWork();
    let told = false;
    const loop = loopOf({
      work: (signal) => {
        signal.addEventListener('abort', () => (told = true));
        return work();
      },
    });
    loop.start();
    loop.wake();
    let closed = false;
    const closing = loop.close().then(() => (closed = true));
    await pass(5_000);
    expect({ told, closed }).toEqual({ told: true, closed: false });
    await release();
    await closing;
    loop.wake();
    loop.start();
    await pass(5_000);
    expect(runs).toBe(1);
  });

  it('during a pause is immediate', async () => {
    const loop = loopOf();
    loop.start();
    await pass(500);
    await loop.close();
    await pass(5_000);
    expect(runs).toBe(1);
  });

  it('finishes what is left after the last run, once, also when closed twice', async () => {
    const { work, release } = slowWork();
    const order: string[] = [];
    const loop = loopOf({
      work: async () => {
        await work();
        order.push('run');
      },
      finish: async () => void order.push('finish'),
    });
    loop.start();
    const closing = [loop.close(), loop.close()];
    await release();
    await Promise.all(closing);
    await loop.close();
    expect(order).toEqual(['run', 'finish']);
  });

  it('logs that something is left when finishing fails', async () => {
    const loop = loopOf({ finish: () => Promise.reject(new Error('away')) });
    loop.start();
    await loop.close();
    expect(logged).toEqual([{ level: 'error', msg: 'loop did not finish' }]);
  });

  it('does nothing when it was never started, nor can it be started after that', async () => {
    let finished = false;
    const loop = loopOf({
      finish: async () => void (finished = true),
    });
    await loop.close();
    loop.start();
    await pass(5_000);
    expect({ runs, finished }).toEqual({ runs: 0, finished: false });
  });
});

describe('a turn of a loop', () => {
  it('belongs to no request, whoever wakes it, and its polls make no spans; what it finds continues its own trace', async () => {
    const spans = recordSpans();
    const seen: (string | undefined)[] = [];
    const [request, found] = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    const loop = loopOf({
      work() {
        seen.push(activeTraceparent());
        tracer.startSpan('poll').end();
        continueTrace(found, () => tracer.startSpan('work').end());
      },
    });
    continueTrace(request, () => loop.start());
    await jest.advanceTimersByTimeAsync(0);
    continueTrace(request, () => loop.wake());
    await jest.advanceTimersByTimeAsync(1_000);
    expect(seen).toEqual([undefined, undefined, undefined]);
    const work = { name: 'work', traceId: 'b'.repeat(32), parentSpanId: 'b'.repeat(16) };
    expect(spans.take()).toMatchObject([work, work, work]);
    spans.close();
  });
});
