import { describeInitiations } from './initiations.conformance.ts';
import { describePaymentStore } from './payment-store.conformance.ts';
import { openStored, type Stored } from './stored.ts';

let stored: Stored;
beforeAll(async () => {
  stored = await openStored();
});
afterAll(() => stored.close());

describePaymentStore('in PostgreSQL', () => stored.empty());
describeInitiations('in PostgreSQL', () => stored.empty());
