import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { createLogger } from '@kontoport/runtime';
import { app } from '../src/app.ts';
import { PAYMENT_TYPES } from '../src/payment-types/payment-types.ts';
import { SANDBOX_LIMITS } from '../src/store/limits.ts';
import { MemoryPaymentStore } from '../src/store/memory/memory-payment-store.ts';
import { startTestService, type TestService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settlementDelay: '1h' });
});
afterAll(() => service.close());

// The list is data: building it once more opens nothing.
const { routes } = app({
  store: new MemoryPaymentStore(SANDBOX_LIMITS),
  paymentTypes: PAYMENT_TYPES,
  findAccount: () => Promise.resolve(undefined),
  authenticateUser: () => Promise.resolve('APPROVED'),
  settlementDelayMs: 0,
  userUrl: '',
  logger: createLogger({ service: 'test', level: 'silent' }),
});

describeRouteSecurity({
  service: { entryPoints: () => ({ routes: { base_url: routes } }) },
  addresses: () => ({ base_url: service.origin }),
  peers: () => service.peers,
});

describe('the payment interface is for payment initiation (§4.4, §5)', () => {
  it('demands the scope PSP_PI on every route', () => {
    for (const { security } of routes) expect(security).toEqual({ kind: 'token', scope: 'PSP_PI' });
  });
});
