import { createTokenSource } from './token-source.ts';

/** A source whose grants are numbered, on a clock of its own. */
function numbered(expiresIn = 3_600) {
  const clock = { now: 0, grants: 0 };
  const source = createTokenSource(
    async () => {
      clock.grants += 1;
      const access_token = `token ${clock.grants}`;
      return Promise.resolve({ access_token, expires_in: expiresIn });
    },
    () => clock.now,
  );
  return { clock, source };
}

describe('the token of a client', () => {
  it.each([
    ['a minute', 3_600, 3_540_000],
    ['a tenth of its life, if that is shorter,', 100, 90_000],
  ])('is renewed %s before its end', async (_what, expiresIn, renewAt) => {
    const { clock, source } = numbered(expiresIn);
    expect(await source.get()).toBe('token 1');
    clock.now = renewAt - 1;
    expect(await source.get()).toBe('token 1');
    clock.now = renewAt;
    expect(await source.get()).toBe('token 2');
  });

  it('is requested once by concurrent callers', async () => {
    const { clock, source } = numbered();
    expect(await Promise.all([source.get(), source.get()])).toEqual(['token 1', 'token 1']);
    expect(clock.grants).toBe(1);
  });

  it('is dropped only if it is the present one', async () => {
    const { source } = numbered();
    await source.get();
    source.drop('token 0');
    expect(await source.get()).toBe('token 1');
    source.drop('token 1');
    expect(await source.get()).toBe('token 2');
  });

  it('is requested again after a refusal', async () => {
    const answers = [
      Promise.reject(new Error('refused')),
      Promise.resolve({ access_token: 't', expires_in: 60 }),
    ];
    const source = createTokenSource(async () => answers.shift()!);
    await expect(source.get()).rejects.toThrow('refused');
    expect(await source.get()).toBe('t');
  });
});
