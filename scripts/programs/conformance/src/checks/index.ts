import type { Check } from '../check.ts';
import { Broken } from '../expectations.ts';
import { accountChecks } from './accounts.ts';
import { consentChecks } from './consents.ts';
import { documentChecks } from './documents.ts';
import { paymentChecks } from './payments.ts';
import { registrationChecks } from './registration.ts';
import { requestChecks } from './requests.ts';
import { tokenChecks } from './tokens.ts';
import { webhookChecks } from './webhooks.ts';

/** The promise that the whole run tests, so it is the last check. */
const documents: Check = {
  clause: '9.5',
  id: 'answers-by-document',
  must: 'Every answer of this run has the form of its OpenAPI document.',
  run({ deployment: { documentFaults } }) {
    const [first, ...more] = documentFaults;
    if (first === undefined) return Promise.resolve();
    return Promise.reject(new Broken('no fault', `${more.length + 1} faults, such as ${first}`));
  },
};

const byClause = new Intl.Collator('en', { numeric: true });

/** Every check, by clause. */
export const CHECKS: readonly Check[] = [
  ...[
    ...documentChecks,
    ...requestChecks,
    ...tokenChecks,
    ...registrationChecks,
    ...accountChecks,
    ...paymentChecks,
    ...webhookChecks,
    ...consentChecks,
  ].toSorted((a, b) => byClause.compare(a.clause, b.clause)),
  documents,
];
