import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { app } from '../src/app.ts';
import type { Deps } from '../src/deps.ts';
import { type Harness, startHarness } from './harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

// The list is read, not served: its handlers never run here.
const { routes } = app({} as Deps);

describeRouteSecurity({ routes, origin: () => harness.origin, peers: () => harness.peers });
