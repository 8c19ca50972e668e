import { startOpsServer } from '@kontoport/runtime';

describe('the ops server', () => {
  it('is live at once, and ready when every part says so; a failing part shows its kind only', async () => {
    let asked = 0;
    const ops = await startOpsServer({
      host: '127.0.0.1',
      port: 0,
      readiness: {
        warm: () => (asked++ < 1 ? 'warming up' : undefined),
        broken: async () => {
          if (asked < 3) throw new TypeError('internal detail');
          return undefined;
        },
      },
    });
    const origin = `http://127.0.0.1:${ops.port}`;
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
    const first = await fetch(`${origin}/readyz`);
    expect(first.status).toBe(503);
    expect(await first.json()).toEqual({
      status: 'not ready',
      waiting: { warm: 'warming up', broken: 'TypeError' },
    });
    await fetch(`${origin}/readyz`);
    const third = await fetch(`${origin}/readyz`);
    expect([third.status, await third.json()]).toEqual([200, { status: 'ready' }]);
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
    await ops.close();
  });
});
