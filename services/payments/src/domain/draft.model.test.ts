import type { DraftStatus } from './draft-status.model.ts';
import { newDraft, requireDeletable } from './draft.model.ts';
import { PAYMENT_TYPES } from './payment-types/payment-types.ts';

const rules = PAYMENT_TYPES['domestic-credit-transfer'];
const NOW = new Date('2026-11-21T12:00:00Z');

const CREATED = newDraft(
  {
    clientId: 'client',
    organizationIdentifier: 'PSDDK-DFSA-1',
    draftId: 'draft',
    paymentType: 'domestic-credit-transfer',
    name: 'Rent',
  },
  { rules, now: NOW },
);

describe('a draft can be deleted unless its payment is on its way, or made (§4.4)', () => {
  const inStatus = (status: DraftStatus) => () => requireDeletable({ ...CREATED, status });

  it.each(['CREATED', 'REJECTED', 'EXPIRED'] as const)('in %s', (status) => {
    expect(inStatus(status)).not.toThrow();
  });

  it.each(['AWAITING_APPROVAL', 'PENDING', 'COMPLETED'] as const)('not in %s', (status) => {
    expect(inStatus(status)).toThrow(expect.objectContaining({ code: 'STATUS_INVALID', status: 409 }));
  });
});
