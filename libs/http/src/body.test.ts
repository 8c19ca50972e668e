import { z } from 'zod';
import { checkShape } from './body.ts';

describe('a body that is not as specified is refused with its faults (§7)', () => {
  const schema = z.strictObject({ name: z.string(), roles: z.array(z.string()) });
  const faultsOf = (value: unknown): unknown => {
    try {
      return checkShape(schema, value, 'body');
    } catch (error) {
      return (error as { details: unknown }).details;
    }
  };

  it('tells a missing field, a wrong type and an unknown field apart', () => {
    expect(faultsOf({ name: 1, more: true })).toEqual([
      { path: 'name', message: expect.stringMatching(/expected string, received number/) },
      { path: 'roles', message: 'is missing' },
      { path: 'more', message: 'is unknown' },
    ]);
  });

  it('repeats nothing of the values', () => {
    expect(JSON.stringify(faultsOf({ name: { secret: 'hush' }, roles: ['x'] }))).not.toContain('hush');
  });
});
