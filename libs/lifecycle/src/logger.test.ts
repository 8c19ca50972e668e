import { describeError } from './logger.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('what a log keeps of a failure', () => {
  it('keeps its kind, message, code and place', () => {
    const error = Object.assign(new TypeError('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(describeError(error)).toEqual({
      name: 'TypeError',
      message: 'connect ECONNREFUSED',
      code: 'ECONNREFUSED',
      at: expect.stringContaining('logger.test.ts'),
    });
  });

  it('keeps nothing of a message that quotes input', () => {
    const quoting = [
      thrownBy(() => JSON.parse('x54790001234567') as unknown),
      Object.assign(new Error('invalid value "54790001234567"'), { name: 'PrismaClientValidationError' }),
      Object.assign(new Error('invalid input syntax for type uuid: "54790001234567"'), {
        name: 'error',
        code: '22P02',
      }),
    ];
    for (const error of quoting) {
      expect(String((error as Error).stack)).toMatch(/54790001234567/);
      expect(JSON.stringify(describeError(error))).not.toMatch(/54790001234567/);
    }
    expect(describeError(quoting[2])).toMatchObject({ name: 'error', code: '22P02' });
  });

  it('keeps only the type of what is no error', () => {
    expect(describeError('54790001234567')).toEqual({ name: 'NonError', message: 'string' });
  });
});
