import type { Address } from '@kontoport/service/addresses';

/** One TPP-facing interface: one address, one document, one version. */
export interface Interface {
  /** The address of §4 under which its routes are served. */
  address: Address;
  /** Its file in `proto/openapi`, without `.json`. */
  file: string;
  title: string;
  /** Semantic version (§9); a breaking change raises its first number that is not 0. */
  version: string;
  description: string;
  /** The address under `npm start`. */
  local: string;
}

/** The four interfaces and their versions. */
export const INTERFACES: readonly Interface[] = [
  {
    address: 'base_url',
    file: 'account-and-payment',
    title: 'Kontoport: accounts, payments and webhooks',
    version: '0.1.0',
    description:
      'Accounts and transactions for PSP_AI, payments for PSP_PI, webhook subscriptions for both (§4.3–§4.6). ' +
      'Webhook subscriptions are a release candidate (§9).',
    local: 'https://localhost:8443',
  },
  {
    address: 'registration_url',
    file: 'registration',
    title: 'Kontoport: registration and client management',
    version: '0.3.0',
    description: 'A TPP registers with its eIDAS QWAC and manages its client record (§4.2).',
    local: 'https://localhost:8444',
  },
  {
    address: 'auth_url',
    file: 'token',
    title: 'Kontoport: tokens',
    version: '0.1.0',
    description: 'OAuth 2.0 access tokens, and the keys that verify them (§4.1).',
    local: 'https://localhost:8445',
  },
  {
    address: 'user_url',
    file: 'user',
    title: 'Kontoport: pages for the users of the bank',
    version: '0.1.0',
    description:
      'Pages that the browser of a user of the bank opens, without client certificate: consents (§5.9) and approvals (§4.4).',
    local: 'https://localhost:8446',
  },
];

/** An earlier version of an interface, whose description stays available (§9.3). */
export interface EarlierVersion extends Interface {
  /** Its later additions: operations by method and path, and members of other bodies. */
  lacks: { operations: readonly string[]; members: Readonly<Record<string, readonly string[]>> };
}

const REGISTRATION = INTERFACES.find(({ file }) => file === 'registration')!;
const DEVELOPER_PAGES = [
  'GET /documentation/:operationId',
  'GET /documentation/:operationId.md',
  'GET /documentation/index.md',
  'GET /documentation/reference.js',
  'GET /guides',
  'GET /guides/:guide',
  'GET /guides/:guide.md',
  'GET /llms.txt',
];
const DISPLAY_NAME = ['GET /tpp/:clientId/display-name', 'PUT /tpp/:clientId/display-name'];
const UPDATE_DISPLAY_NAME = { 'POST /tpp/:clientId/certificates': ['updateDisplayName'] };

/** The earlier versions of registration (§9.3). */
export const EARLIER_VERSIONS: readonly EarlierVersion[] = [
  {
    ...REGISTRATION,
    version: '0.1.0',
    file: 'earlier/registration-0.1.0',
    lacks: {
      operations: ['DELETE /tpp/:clientId', ...DISPLAY_NAME, ...DEVELOPER_PAGES],
      members: UPDATE_DISPLAY_NAME,
    },
  },
  {
    ...REGISTRATION,
    version: '0.2.0',
    file: 'earlier/registration-0.2.0',
    lacks: { operations: [...DISPLAY_NAME, ...DEVELOPER_PAGES], members: UPDATE_DISPLAY_NAME },
  },
];

/** Names of features, by the section of the contract that their routes cite. */
export const FEATURES: Readonly<Record<string, { name: string; description: string }>> = {
  '4.1': { name: 'Tokens', description: 'OAuth 2.0 tokens (§4.1).' },
  '4.2': { name: 'Clients', description: 'Registration and client management (§4.2).' },
  '4.3': { name: 'Accounts', description: 'Accounts, transactions and funds (§4.3).' },
  '4.4': { name: 'Payments', description: 'Drafts, signing baskets and their payments (§4.4).' },
  '4.5': { name: 'Polling', description: 'The status of a payment (§4.5).' },
  '4.6': { name: 'Webhooks', description: 'Webhook subscriptions (§4.6).' },
};

/** Routes of no single feature, such as the document itself. */
export const INTERFACE_FEATURE = { name: 'Interface', description: 'The interface as a document (§9.5).' };
