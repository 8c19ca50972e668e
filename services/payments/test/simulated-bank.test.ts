import { createClient } from '@kontoport/grpc';
import { LedgerServiceClient } from '@kontoport/proto/accounts/v1';
import { simulatedBank } from '../src/bank/simulated-bank.ts';
import { bankConformance } from './bank.conformance.ts';
import { startBank } from './test-bank.ts';

describe('the simulated bank (§3.2, §Sandbox)', () => {
  bankConformance(async () => {
    const ledger = await startBank();
    const client = createClient(LedgerServiceClient, `localhost:${ledger.port}`);
    return {
      bank: simulatedBank(client),
      ledger,
      async close() {
        client.close();
        ledger.close();
      },
    };
  });
});
