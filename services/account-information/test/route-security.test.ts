import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { accountInformation } from '../src/service.ts';
import { type Running, startAccountInformation } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

describeRouteSecurity({
  service: accountInformation,
  addresses: () => ({ base_url: running.origin }),
  peers: () => running.peers,
});
