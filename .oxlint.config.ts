// The rules of the lint step. docs/style.md describes boundaries and layers; scripts/repo/test/boundaries.test.ts plants
// a violation of each.

/**
 * An import that a rule refuses: gitignore patterns of what is imported, `!` for what is allowed all the same, whichever
 * entry refuses it.
 */
interface Refusal {
  readonly group: readonly string[];
  readonly message: string;
}

export const SERVICES = ['registration', 'auth', 'account-information', 'payments', 'webhook-dispatcher'];
export const PROGRAMS = [
  'kontoport',
  'qwac',
  'edge',
  'local',
  'tour',
  'tpp',
  'conformance',
  'console',
  'feed',
  'dead-letters',
  'bank',
  'bench',
  'charts',
];

const NO_SERVICE: Refusal = {
  group: [
    ...SERVICES.flatMap((name) => [`@kontoport/${name}`, `@kontoport/${name}/**`]),
    ...SERVICES.map((name) => `**/${name}/src/**`),
    '**/services/**',
  ],
  message: 'Services talk over gRPC or Kafka, never by import.',
};
const NO_PROGRAM: Refusal = {
  group: [
    ...PROGRAMS.flatMap((name) => [`@kontoport/${name}`, `@kontoport/${name}/**`]),
    ...PROGRAMS.map((name) => `**/${name}/src/**`),
  ],
  message: 'A program is started, not imported.',
};
/** The edge of the laptop runs inside `npm start`. */
const BUT_THE_EDGE: Refusal = { group: ['!@kontoport/edge/edge'], message: NO_PROGRAM.message };
const NO_CHORES: Refusal = {
  group: ['@kontoport/repo', '@kontoport/repo/**'],
  message: 'Chores of the repository are for programs only.',
};
const NO_TESTING: Refusal = {
  group: ['@kontoport/testing', '@kontoport/testing/**', '**/testing/src/**', '**/testing/jest/**'],
  message: 'Only tests and benches import libs/testing.',
};
const NO_OPENAPI: Refusal = {
  group: ['@kontoport/openapi', '@kontoport/openapi/**'],
  message: 'A service serves its document; it does not make it.',
};
const NO_KAFKAJS: Refusal = {
  group: ['kafkajs', 'kafkajs/**'],
  message: 'The broker is spoken to in libs/events/src/kafkajs alone.',
};
const STAY_IN_LIB: Refusal = {
  group: ['../../**'],
  message: 'Stay inside the lib; import another by its package name.',
};

const outside = (levels: number): Refusal => ({
  group: [`${'../'.repeat(levels)}**`],
  message: 'Stay inside the workspace; import another by its package name.',
});

/** Folders of the same service, as a feature's folder or one beneath it names them. */
const SERVICE_FOLDERS = ['./', './*/', '../', '../*/', '../*/*/', '../../', '../../*/', '../../*/*/'];

/** Files of the same service, as exceptions. */
const within = (name: string, folders: readonly string[] = SERVICE_FOLDERS): readonly string[] =>
  folders.map((folder) => `!${folder}${name}`);

/** @param folders where the models and texts may be that a model imports */
const modelOf = (folders: readonly string[]): readonly Refusal[] => [
  {
    group: ['./**', '../**', ...within('*.model.ts', folders), ...within('texts.ts', folders)],
    message: 'A model is pure: it imports models and texts.',
  },
  {
    group: [
      '@kontoport/*',
      '!@kontoport/money',
      '!@kontoport/errors',
      '!@kontoport/certificates',
      '!@kontoport/egress',
      '!@kontoport/fairness',
      'zod',
      'pg',
      'jose',
      'node:*',
      'node:*/**',
      '!node:crypto',
      '!node:net',
    ],
    message:
      'A model is pure: it knows money, errors, fairness, the roles of a certificate, and no world around it.',
  },
];
/** A module from which these names alone may not be imported. */
const CHANCE = {
  name: 'node:crypto',
  importNames: ['getRandomValues', 'randomBytes', 'randomInt', 'randomUUID'],
  message: 'Chance is a parameter of a model.',
};
const REPOSITORY: readonly Refusal[] = [
  {
    group: [
      './**',
      '../**',
      ...within('*.model.ts'),
      ...within('*.repository.ts'),
      '!./gen/**',
      '!../gen/**',
    ],
    message: 'A repository knows SQL and the model.',
  },
  {
    group: ['@kontoport/http', '@kontoport/gate', '@kontoport/grpc', 'zod'],
    message: 'A repository knows SQL and the model, nobody who asks.',
  },
];
const STORY: readonly Refusal[] = [
  {
    group: ['**/*.wire.ts', '**/*.routes.ts', '**/*.rpc.ts', '**/*.consumer.ts'],
    message: 'A story knows models and repositories; its entry points translate.',
  },
];
const WIRE: readonly Refusal[] = [
  {
    group: [
      './**',
      '../**',
      ...within('*.model.ts'),
      ...within('*.wire.ts'),
      ...within('texts.ts'),
      '@kontoport/database',
      '@kontoport/gate',
      '@kontoport/grpc',
      '@kontoport/config',
      '@kontoport/internal-tls',
      '@kontoport/lifecycle',
      '@kontoport/service',
      '@kontoport/telemetry',
      'pg',
      'jose',
    ],
    message: 'A wire file translates between the model and what is sent; it reads and decides nothing.',
  },
];
/** The domain is the floor of its service. @param levels from a file of it to its folder */
const domainFloor = (levels: number): Refusal => ({
  group: [`${'../'.repeat(levels)}**`],
  message: 'The domain imports nothing of its service but itself.',
});
/** Files above the features: `app`, `deps`, `config`, `adapters`. */
const TOP: readonly Refusal[] = [
  { group: ['**/*.wire.ts'], message: 'Only entry points know what is sent.' },
];

/** Refuses imports; of several entries for a file only the last counts, so each names all that it refuses. */
function imports(files: readonly string[], ...patterns: readonly Refusal[]) {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** Keeps random values and the environment out of models, as well. */
function models(files: readonly string[], ...patterns: readonly Refusal[]) {
  return {
    files,
    rules: {
      'no-restricted-imports': ['error', { paths: [CHANCE], patterns }],
      'no-restricted-globals': ['error', 'fetch', 'process', 'setInterval', 'setTimeout'],
    },
  };
}

const TESTS = ['**/*.test.ts', '**/test/**/*.ts'];
const IN_SERVICE = [NO_SERVICE, NO_PROGRAM, NO_CHORES, NO_OPENAPI, NO_KAFKAJS];

export default {
  plugins: ['typescript', 'import', 'node', 'unicorn', 'jest', 'oxc'],
  categories: { correctness: 'error' },
  env: { node: true, es2024: true, jest: true },
  ignorePatterns: ['**/gen/**', '**/dist/**', '**/coverage/**'],
  rules: {
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { properties: false } }],
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/return-await': 'error',
    'typescript/unbound-method': 'off',
    'sort-imports': ['error', { ignoreCase: true, ignoreDeclarationSort: true }],
    'unicorn/prefer-node-protocol': 'error',
    'jest/expect-expect': 'error',
    'jest/no-focused-tests': 'error',
    'jest/no-disabled-tests': 'error',
    'max-lines': ['error', { max: 400 }],
    'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
  },
  overrides: [
    // A describe is a chapter, not a function; the file's limit bounds it.
    { files: TESTS, rules: { 'max-lines-per-function': 'off' } },

    imports(['libs/**/*.ts'], NO_SERVICE, NO_PROGRAM, NO_CHORES, NO_TESTING, NO_KAFKAJS, STAY_IN_LIB),
    imports(['libs/*/src/*/**/*.ts'], NO_SERVICE, NO_PROGRAM, NO_CHORES, NO_TESTING, NO_KAFKAJS, outside(3)),
    imports(['libs/events/src/kafkajs/**/*.ts'], NO_SERVICE, NO_PROGRAM, NO_CHORES, NO_TESTING, outside(3)),
    imports(
      ['libs/*/test/**/*.ts', 'libs/testing/**/*.ts'],
      NO_SERVICE,
      NO_PROGRAM,
      NO_CHORES,
      NO_KAFKAJS,
      STAY_IN_LIB,
    ),
    imports(['libs/*/src/**/*.test.ts'], NO_SERVICE, NO_PROGRAM, NO_CHORES, outside(3)),

    imports(['services/**/*.ts'], ...IN_SERVICE, NO_TESTING, outside(3)),
    imports(['services/*/src/*.ts'], ...IN_SERVICE, NO_TESTING, outside(3), ...TOP),
    imports(['services/*/src/*/**/*.ts'], ...IN_SERVICE, NO_TESTING, outside(3), ...STORY),
    imports(['services/*/src/**/*.{routes,rpc,consumer}.ts'], ...IN_SERVICE, NO_TESTING, outside(3)),
    imports(['services/*/src/**/*.wire.ts'], ...IN_SERVICE, NO_TESTING, outside(3), ...WIRE),
    models(
      ['services/*/src/**/*.model.ts'],
      ...IN_SERVICE,
      NO_TESTING,
      outside(3),
      ...modelOf(SERVICE_FOLDERS),
    ),
    imports(['services/*/src/domain/*.ts'], ...IN_SERVICE, NO_TESTING, ...STORY, domainFloor(1)),
    imports(['services/*/src/domain/*/*.ts'], ...IN_SERVICE, NO_TESTING, ...STORY, domainFloor(2)),
    models(
      ['services/*/src/domain/*.model.ts'],
      ...IN_SERVICE,
      NO_TESTING,
      domainFloor(1),
      ...modelOf(['./', './*/']),
    ),
    models(
      ['services/*/src/domain/*/*.model.ts'],
      ...IN_SERVICE,
      NO_TESTING,
      domainFloor(2),
      ...modelOf(['./', '../', '../*/']),
    ),
    imports(['services/*/src/**/*.repository.ts'], ...IN_SERVICE, NO_TESTING, outside(3), ...REPOSITORY),
    imports(['services/*/src/**/*.test.ts', 'services/*/test/**/*.ts'], ...IN_SERVICE, outside(3)),

    imports(['scripts/**/*.ts'], NO_SERVICE, NO_PROGRAM, NO_TESTING, NO_KAFKAJS, outside(2)),
    imports(
      ['scripts/dev/local/src/edge.ts'],
      NO_SERVICE,
      NO_PROGRAM,
      BUT_THE_EDGE,
      NO_TESTING,
      NO_KAFKAJS,
      outside(2),
    ),
    imports(['scripts/**/test/**/*.ts'], NO_SERVICE, NO_PROGRAM, NO_KAFKAJS, outside(2)),
    imports(['scripts/repo/**/*.ts'], NO_SERVICE, NO_PROGRAM, NO_TESTING, NO_KAFKAJS),
    imports(['scripts/repo/test/**/*.ts'], NO_SERVICE, NO_KAFKAJS),
    imports(['docker/**/*.ts'], NO_SERVICE, NO_PROGRAM, NO_CHORES, NO_KAFKAJS, outside(2)),
    imports(['docker/src/*.ts'], NO_SERVICE, NO_PROGRAM, NO_TESTING, NO_KAFKAJS, outside(1)),
    // The one door to all programs.
    imports(['scripts/programs/kontoport/src/**/*.ts'], NO_SERVICE, NO_TESTING, NO_KAFKAJS, outside(2)),
    // A bench measures what is inside others.
    imports(['scripts/bench/src/**/*.ts'], NO_PROGRAM, NO_KAFKAJS),
  ],
};
