import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { payments } from '../src/service.ts';
import { startPayments, type RunningPayments } from './running.ts';

let service: RunningPayments;
beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h' });
});
afterAll(() => service.close());

describeRouteSecurity({
  service: payments,
  addresses: () => ({ base_url: service.origin }),
  peers: () => service.peers,
});

describe('the payment interface is for payment initiation (§4.4, §5)', () => {
  it('demands the scope PSP_PI on every route', () => {
    for (const { security } of payments.entryPoints().routes.base_url!)
      expect(security).toEqual({ kind: 'token', scope: 'PSP_PI' });
  });
});
