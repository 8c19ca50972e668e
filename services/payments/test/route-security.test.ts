import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { payments } from '../src/service.ts';
import { type RunningPayments, startPayments } from './running-payments.ts';

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

describe('the payment interface is for payment initiation (§4.4, §5.4)', () => {
  it('demands the scope PSP_PI on every route', () => {
    const { base_url: routes = [] } = payments.entryPoints().routes;
    expect(routes.map(({ path }) => path)).toContain('/payments/drafts/approve');
    for (const { security } of routes) expect(security).toEqual({ kind: 'token', scope: 'PSP_PI' });
  });
});
