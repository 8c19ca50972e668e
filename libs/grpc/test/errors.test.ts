import { Metadata, Server, ServerCredentials, type ServiceError } from '@grpc/grpc-js';
import {
  ApiError,
  defineTexts,
  detailToWire,
  ERROR_CODES,
  type ErrorCode,
  type ErrorEntry,
  LANGUAGES,
} from '@kontoport/errors';
import { call, createClient, startGrpcServer, unary } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import { ApprovalsServiceClient, ApprovalsServiceService } from '@kontoport/proto/payments/v1';

const TEXTS = defineTexts({
  taken: {
    en: 'No. {n} is taken.',
    da: 'Nr. {n} er optaget.',
    sv: 'Nr {n} är upptaget.',
    nb: 'Nr. {n} er tatt.',
  },
  missing: { en: 'is missing', da: 'mangler', sv: 'saknas', nb: 'mangler' },
});

/** The first call of a file waits for its connection. */
const PATIENCE = { deadlineMs: 30_000 };

let thrown: unknown;
let server: Awaited<ReturnType<typeof startGrpcServer>>;
let client: ApprovalsServiceClient;

beforeAll(async () => {
  const getBasket = unary(createLogger({ service: 'test', level: 'silent' }), async () => {
    throw thrown;
  });
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    rpcs: [{ definition: ApprovalsServiceService, implementation: { getBasket } }],
  });
  client = createClient(ApprovalsServiceClient, `localhost:${server.port}`);
});

afterAll(async () => {
  client.close();
  await server.close();
});

/** Returns the error that the caller catches when the peer throws. */
async function across(refusal: unknown): Promise<ApiError> {
  thrown = refusal;
  return call(client, client.getBasket, { approvalId: 'a' }, PATIENCE).then(
    () => {
      throw new Error('not refused');
    },
    (error: unknown) => error as ApiError,
  );
}

/** All that a TPP could see of it, in every language. */
const seen = (refusal: ApiError) => ({
  code: refusal.code,
  status: refusal.status,
  retryAfterSeconds: refusal.retryAfterSeconds,
  scope: refusal.scope,
  oauthError: refusal.oauthError,
  texts: LANGUAGES.map((language) => refusal.text.in(language)),
  details: refusal.details.flatMap((detail) => LANGUAGES.map((language) => detailToWire(detail, language))),
});

const CODES = (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => code !== 'INTERNAL_ERROR');
const STATUSES = CODES.flatMap((code) => {
  const entry: ErrorEntry = ERROR_CODES[code];
  return [entry.status, ...(entry.otherStatuses ?? [])].map((status) => [code, status] as const);
});

describe('an error between the services (§7)', () => {
  it.each(STATUSES)('%s with status %d crosses whole', async (code, status) => {
    const refusal = new ApiError(code, TEXTS('taken', { n: 7 }), {
      status,
      details: [{ path: 'iban', text: TEXTS('missing') }],
      ...(['UNAVAILABLE', 'RATE_LIMITED'].includes(code) ? { retryAfterSeconds: 17 } : {}),
      ...(code === 'SCOPE_INSUFFICIENT' ? { scope: 'PSP_AI' } : {}),
      oauthError: 'invalid_scope',
    });
    const arrived = await across(refusal);
    expect(seen(arrived)).toEqual(seen(refusal));
    expect((arrived.cause as ServiceError).code).toBe(ERROR_CODES[code].grpc);
  });

  it('becomes UNAVAILABLE for the caller of a faulty peer', async () => {
    const arrived = await across(new ApiError('INTERNAL_ERROR', TEXTS('taken', { n: 1 })));
    expect([arrived.code, arrived.message]).toEqual([
      'UNAVAILABLE',
      'A part of the service does not respond; repeat the request later.',
    ]);
  });

  it('has a bounded size, whatever its content', async () => {
    const long = 'æ'.repeat(900);
    const details = Array.from({ length: 100 }, (_, i) => ({
      path: `draftIds.${i}`,
      text: TEXTS('taken', { n: long }),
    }));
    const arrived = await across(
      new ApiError('STATUS_INVALID', TEXTS('taken', { n: long.repeat(9) }), { details }),
    );
    expect([arrived.code, arrived.status]).toEqual(['STATUS_INVALID', 409]);
    expect(arrived.details.length).toBeGreaterThan(0);
    expect(arrived.details).toEqual(
      details.slice(0, arrived.details.length).map(({ path }) => expect.objectContaining({ path })),
    );
  });
});

const whole = {
  code: 'STATUS_INVALID',
  status: 409,
  text: { en: 'a', da: 'b', sv: 'c', nb: 'd' },
  details: [],
};

describe('a text with half a surrogate pair', () => {
  it.each([
    ['from the beginning', 'half a pair: \ud800'],
    ['where it is cut', '😀'.repeat(600)],
    ['where it is cut, one further', `a${'😀'.repeat(600)}`],
  ])('still answers the call: %s', async (_where, n) => {
    const arrived = await across(new ApiError('STATUS_INVALID', TEXTS('taken', { n })));
    expect([arrived.code, arrived.status]).toEqual(['STATUS_INVALID', 409]);
  });
});

describe('a trailer', () => {
  let foreign: Server;
  let trailer: Buffer;
  let foreignClient: ApprovalsServiceClient;

  beforeAll(async () => {
    foreign = new Server();
    foreign.addService(ApprovalsServiceService, {
      getBasket: (_call: unknown, callback: (error: Partial<ServiceError>) => void) => {
        const metadata = new Metadata();
        metadata.set('kontoport-error-bin', trailer);
        callback({ code: 9, details: 'x', metadata });
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      foreign.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    foreignClient = createClient(ApprovalsServiceClient, `localhost:${port}`);
  });

  afterAll(() => {
    foreignClient.close();
    foreign.forceShutdown();
  });

  const codeOf = async (bytes: Buffer | object): Promise<string> => {
    trailer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(JSON.stringify(bytes));
    const caught: unknown = await call(
      foreignClient,
      foreignClient.getBasket,
      { approvalId: 'a' },
      PATIENCE,
    ).catch((error: unknown) => error);
    return (caught as ApiError).code;
  };

  it('is read if it has our form', async () => {
    expect(await codeOf(whole)).toBe('STATUS_INVALID');
  });

  it.each<[string, Buffer | object]>([
    ['no JSON', Buffer.from('{')],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an unknown code', { ...whole, code: 'toString' }],
    ['a status that the code does not have', { ...whole, status: 418 }],
    ['a language short', { ...whole, text: { en: 'a', da: 'b', sv: 'c' } }],
    ['a field more', { ...whole, more: 1 }],
    ['a scope that no header can carry', { ...whole, scope: 'PSP"\r\n' }],
    ['details without text', { ...whole, details: [{ path: 'x' }] }],
    [
      'too long',
      {
        ...whole,
        details: Array.from({ length: 100 }, () => ({
          path: 'x',
          text: { ...whole.text, en: 'x'.repeat(300) },
        })),
      },
    ],
  ])('is UNAVAILABLE when it is %s', async (_what, bytes) => {
    expect(await codeOf(bytes)).toBe('UNAVAILABLE');
  });
});
