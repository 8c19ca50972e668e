import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/peers';

/** What the receivers in their own process have got since the last `reset`, and when the last of it came. */
export async function count(receivers: ChildProcess, message: 'count' | 'reset' = 'count') {
  receivers.send(message);
  const [answer] = (await once(receivers, 'message')) as [{ received: number; last: number }];
  return answer;
}

/** Subscribes a TPP to postings; waits until the dispatcher knows it. */
export async function subscribe(options: {
  origin: string;
  tpp: TestTpp;
  callbackUrl: string;
  id?: string;
}): Promise<void> {
  const { origin, tpp, callbackUrl, id = 'bench' } = options;
  const headers = { ...(await tpp.headers()), 'content-type': 'application/json' };
  const body = JSON.stringify({ callbackUrl, eventTypes: ['Posting.CreatedV1'] });
  await until(
    async () => {
      const response = await fetch(`${origin}/v1/webhook-subscriptions/${id}`, {
        method: 'POST',
        headers,
        body,
      });
      if (response.status === 201) return true;
      throw new Error(`${response.status} ${await response.text()}`);
    },
    { what: 'a subscription' },
  );
}
