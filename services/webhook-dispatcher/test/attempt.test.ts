import { createGuardedAgent } from '@kontoport/egress';
import type { AttemptResult } from '../src/deliveries/delivery.model.ts';
import { attemptAt } from './attempt-at.ts';
import { accept, type Answer, type Receiver, startReceiver } from './receiver.ts';

const agent = createGuardedAgent({ allowLoopback: true });
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});

afterAll(async () => {
  await agent.destroy();
  await receiver.close();
});

function attempt(answer: Answer, timeLimit = 5_000): Promise<AttemptResult> {
  receiver.answer = answer;
  return attemptAt(agent, receiver.url, timeLimit);
}

describe('one attempt (§6: a 2xx within the time limit)', () => {
  it.each([200, 201, 202, 204, 299])('%d is success', async (status) => {
    expect(await attempt((response) => void response.writeHead(status).end())).toMatchObject({
      outcome: 'accepted',
      httpStatus: status,
    });
  });

  it.each([300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 500, 503])('%d is not', async (status) => {
    expect(await attempt((response) => void response.writeHead(status).end())).toMatchObject({
      outcome: 'rejected',
      httpStatus: status,
    });
  });

  it('an interim answer does not count', async () => {
    const result = await attempt((response, ...rest) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      accept(response, ...rest);
    });
    expect(result).toMatchObject({ outcome: 'accepted', httpStatus: 204 });
  });

  it('Retry-After is read from 429 and 503', async () => {
    const later = { 'retry-after': '7' };
    for (const [status, expected] of [
      [429, 7_000],
      [503, 7_000],
      [500, undefined],
    ] as const)
      expect((await attempt((response) => void response.writeHead(status, later).end())).retryAfter).toBe(
        expected,
      );
  });
});
