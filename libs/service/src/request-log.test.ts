import type { AnsweredRequest } from '@kontoport/http';
import { WaitingRequests } from './request-log.ts';

const requestOf = (organization: string, requestId: string): AnsweredRequest => ({
  organization,
  clientId: undefined,
  at: new Date(0),
  requestId,
  method: 'GET',
  route: '/accounts',
  status: 200,
  milliseconds: 1,
  refusal: undefined,
});

const flood = (waiting: WaitingRequests, organization: string, count: number): void => {
  for (let number = 0; number < count; number++) waiting.add(requestOf(organization, String(number)));
};

describe('the requests that wait for the request log (§Sandbox)', () => {
  it('are the newest of an organization that floods, and all of its neighbour, in turn', () => {
    const waiting = new WaitingRequests();
    flood(waiting, 'flooding', 1_200);
    waiting.add(requestOf('neighbour', 'first'));
    waiting.add(requestOf('neighbour', 'second'));
    flood(waiting, 'flooding', 600);
    const taken = waiting.takeAll();
    expect(taken.slice(0, 4).map(({ organization, requestId }) => [organization, requestId])).toEqual([
      ['flooding', '100'],
      ['neighbour', 'first'],
      ['flooding', '101'],
      ['neighbour', 'second'],
    ]);
    expect(taken).toHaveLength(502);
    expect(taken.at(-1)?.requestId).toBe('599');
    expect(waiting.takeAll()).toEqual([]);
  });

  it('are at most 10,000', () => {
    const waiting = new WaitingRequests();
    for (let organization = 0; organization < 25; organization++) flood(waiting, String(organization), 500);
    expect(waiting.takeAll()).toHaveLength(10_000);
  });
});
