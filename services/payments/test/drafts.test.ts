import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { type Caller, DRAFTS, type RunningPayments, startPayments, TRANSFER } from './running-payments.ts';

let service: RunningPayments;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h' });
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId });
});
afterAll(() => service.close());

const create = async (): Promise<string> => {
  const draftId = randomUUID();
  expect((await tpp.call('POST', DRAFTS, { draftId, name: 'Rent' })).status).toBe(201);
  return draftId;
};

describe('POST /payments/drafts/domestic-credit-transfer and GET /payments/drafts/domestic-credit-transfer/{id} (§4.4, §3.2)', () => {
  it('creates a draft in state CREATED that names what is missing', async () => {
    const draftId = randomUUID();
    const { status, body } = await tpp.call('POST', DRAFTS, { draftId, name: 'Rent' });
    expect(status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
    expect(body).toEqual({
      draftId,
      name: 'Rent',
      paymentType: 'domestic-credit-transfer',
      status: 'CREATED',
      isValid: false,
      validationErrors: ['receiverAccountBban', 'receiverName', 'amount', 'currency', 'senderAccountId'].map(
        (path) => ({ path, message: 'is missing' }),
      ),
      createdAt: time,
      updatedAt: time,
    });
    expect((await tpp.call('GET', `${DRAFTS}/${draftId}`)).body).toEqual(body);
  });

  it('answers under the prefix /aisp-pisp, too', async () => {
    const draftId = randomUUID();
    expect((await tpp.call('POST', `/aisp-pisp${DRAFTS}`, { draftId, name: 'Rent' })).status).toBe(201);
    expect((await tpp.call('GET', `${DRAFTS}/${draftId}`)).status).toBe(200);
  });

  it('refuses a draftId that is taken, in any spelling', async () => {
    const draftId = await create();
    for (const again of [draftId, draftId.toUpperCase()]) {
      const { status, body } = await tpp.call('POST', DRAFTS, { draftId: again, name: 'Other' });
      expect([status, body.errorCode]).toEqual([409, 'DUPLICATE_ID']);
    }
    expect((await tpp.call('GET', `${DRAFTS}/${draftId}`)).body.name).toBe('Rent');
  });

  it("does not show another client's draft, nor that its id is used", async () => {
    const draftId = await create();
    const other = await service.caller();
    const foreign = await other.call('GET', `${DRAFTS}/${draftId}`);
    const unknown = await other.call('GET', `${DRAFTS}/${randomUUID()}`);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    expect((await other.call('PATCH', `${DRAFTS}/${draftId}`, { amount: '1' })).status).toBe(404);
    expect((await other.call('DELETE', `${DRAFTS}/${draftId}/payment`)).status).toBe(404);
    expect((await other.call('POST', DRAFTS, { draftId, name: 'Mine' })).status).toBe(201);
    expect((await tpp.call('GET', `${DRAFTS}/${draftId}`)).body.name).toBe('Rent');
  });

  it.each([
    ['no JSON', '{"draftId":', 'application/json', 400],
    ['an array', '[]', 'application/json', 400],
    ['no draftId', '{"name":"Rent"}', 'application/json', 400],
    ['no name', `{"draftId":"${randomUUID()}"}`, 'application/json', 400],
    ['a draftId that is no UUID', '{"draftId":"1","name":"Rent"}', 'application/json', 400],
    ['a name that is a number', `{"draftId":"${randomUUID()}","name":1}`, 'application/json', 400],
    ['a blank name', `{"draftId":"${randomUUID()}","name":" "}`, 'application/json', 400],
    ['a name with a line break', `{"draftId":"${randomUUID()}","name":"a\\nb"}`, 'application/json', 400],
    ['half a character', `{"draftId":"${randomUUID()}","name":"\\ud800"}`, 'application/json', 400],
    ['a long name', `{"draftId":"${randomUUID()}","name":"${'x'.repeat(141)}"}`, 'application/json', 400],
    ['an unknown field', `{"draftId":"${randomUUID()}","name":"Rent","iban":"x"}`, 'application/json', 400],
    ['no body', undefined, 'application/json', 400],
    ['another content type', `{"draftId":"${randomUUID()}","name":"Rent"}`, 'text/plain', 415],
    ['a body over 64 KB', `{"name":"${'x'.repeat(65_536)}"}`, 'application/json', 413],
  ])('refuses %s', async (_what, body, contentType, status) => {
    const answer = await tpp.send('POST', DRAFTS, {
      headers: { 'content-type': contentType },
      ...(body === undefined ? {} : { body }),
    });
    expect(answer.status).toBe(status);
    expect(answer.body.errorCode).toBe(status === 413 ? 'PAYLOAD_TOO_LARGE' : 'FORMAT_ERROR');
  });

  it.each([
    ['POST', '/payments/drafts/cheque', 404, 'ROUTE_UNKNOWN'],
    ['GET', `/payments/drafts/cheque/${randomUUID()}`, 404, 'ROUTE_UNKNOWN'],
    ['PATCH', '/payments', 404, 'ROUTE_UNKNOWN'],
    ['PUT', DRAFTS, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/payments/drafts/approve', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', `${DRAFTS}/not-a-uuid`, 404, 'RESOURCE_UNKNOWN'],
    ['GET', `/payments/drafts/approve/not-a-uuid/status`, 404, 'RESOURCE_UNKNOWN'],
  ])('answers %s %s with %i %s', async (method, path, status, errorCode) => {
    const answer = await tpp.call(method, path);
    expect([answer.status, answer.body.errorCode]).toEqual([status, errorCode]);
  });
});

describe('DELETE /payments/drafts/domestic-credit-transfer/{id} (§4.4)', () => {
  const remove = (draftId: string) => tpp.call('DELETE', `${DRAFTS}/${draftId}`);

  it('deletes a draft that is CREATED: it is unknown then, and its id is free', async () => {
    const draftId = await tpp.validDraft(account);
    const { status, body } = await remove(draftId);
    expect([status, body]).toEqual([204, {}]);
    const path = `${DRAFTS}/${draftId}`;
    for (const [method, sent] of [['GET'], ['PATCH', { amount: '1' }], ['DELETE']] as const) {
      const answer = await tpp.call(method, path, sent);
      expect([answer.status, answer.body.errorCode]).toEqual([404, 'RESOURCE_UNKNOWN']);
    }
    expect((await tpp.approve([draftId])).body.details).toEqual([
      { path: 'draftIds.0', message: 'is unknown' },
    ]);
    expect((await tpp.call('POST', DRAFTS, { draftId, name: 'Again' })).status).toBe(201);
    expect((await tpp.call('GET', path)).body).toMatchObject({ name: 'Again', isValid: false });
  });

  it('refuses to delete a draft with a pending payment', async () => {
    const draftId = await tpp.validDraft(account);
    await tpp.approve([draftId]);
    const answer = await remove(draftId);
    expect([answer.status, answer.body.errorCode]).toEqual([409, 'STATUS_INVALID']);
    expect(answer.body.message).toBe('The draft is PENDING; that does not allow this.');
    expect(await tpp.status(draftId)).toBe('PENDING');
    expect((await tpp.call('DELETE', `${DRAFTS}/${draftId}/payment`)).status).toBe(204);
    expect((await remove(draftId)).status).toBe(204);
  });

  it("does not delete another client's draft, nor one of another payment type", async () => {
    const draftId = await create();
    const other = await service.caller();
    const answers = [
      await other.call('DELETE', `${DRAFTS}/${draftId}`),
      await tpp.call('DELETE', `/payments/drafts/swedish-bank-giro/${draftId}`),
      await remove(randomUUID()),
      await remove('not-a-uuid'),
    ];
    for (const { status, body } of answers)
      expect([status, body.message]).toEqual([404, 'There is no such draft.']);
    expect(await tpp.status(draftId)).toBe('CREATED');
  });
});

describe('PATCH /payments/drafts/domestic-credit-transfer/{id} (§4.4, §3.2)', () => {
  it('fills in the fields one after the other until the draft is valid', async () => {
    const path = `${DRAFTS}/${await create()}`;
    const fields = Object.entries({ ...TRANSFER, senderAccountId: account });
    for (const [i, [name, value]] of fields.entries()) {
      const { status, body } = await tpp.call('PATCH', path, { [name]: value });
      expect([status, body.status, body[name]]).toEqual([200, 'CREATED', value]);
      expect(body.isValid).toBe(i === fields.length - 1);
    }
    expect((await tpp.call('GET', path)).body).toMatchObject({
      ...TRANSFER,
      senderAccountId: account,
      isValid: true,
      validationErrors: [],
    });
  });

  it('stores invalid values, and names part and reason', async () => {
    const path = `${DRAFTS}/${await create()}`;
    const { status, body } = await tpp.call('PATCH', path, {
      ...TRANSFER,
      receiverAccountBban: '86011117948',
      currency: 'NOK',
      amount: '1.005',
      senderAccountId: account,
    });
    expect(status).toBe(200);
    expect(body.isValid).toBe(false);
    expect(body.validationErrors).toEqual([
      {
        path: 'receiverAccountBban',
        message: 'check digit: the last digit does not fit the others (modulus 11)',
      },
      { path: 'amount', message: 'NOK has 2 decimals, not 3' },
      { path: 'senderAccountId', message: 'the account is kept in DKK, not in NOK' },
    ]);
  });

  it('has warnings for fields that could not be checked', async () => {
    const sek = service.bank.addAccount({ clientId: tpp.clientId, currency: 'SEK' });
    const path = `${DRAFTS}/${await create()}`;
    const fields = { ...TRANSFER, currency: 'SEK', receiverAccountBban: '99991234567', senderAccountId: sek };
    const { body } = await tpp.call('PATCH', path, fields);
    expect(body.isValid).toBe(true);
    expect(body.validationWarnings).toEqual([
      {
        path: 'receiverAccountBban',
        message: expect.stringContaining('no rule is known for 9999') as string,
      },
    ]);
  });

  it.each([
    [{ amount: 125.5 }],
    [{ amount: '12,50' }],
    [{ amount: '1e3' }],
    [{ amount: '9'.repeat(30) }],
    [{ amount: null }],
    [{ currency: 'dkk' }],
    [{ receiverName: '' }],
    [{ receiverName: ['x'] }],
    [{ receiverAccountBban: { digits: '1' } }],
    [{ senderAccountId: 7 }],
    [{ status: 'COMPLETED' }],
    [{ isValid: true }],
    [{ draftId: randomUUID() }],
  ])('refuses %j and changes nothing', async (body) => {
    const path = `${DRAFTS}/${await create()}`;
    const before = (await tpp.call('GET', path)).body;
    const answer = await tpp.call('PATCH', path, body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect(answer.body.details).toEqual([
      { path: Object.keys(body)[0], message: expect.any(String) as string },
    ]);
    expect((await tpp.call('GET', path)).body).toEqual(before);
  });

  it('answers 404 before it checks the body (§4)', async () => {
    const answer = await tpp.call('PATCH', `${DRAFTS}/${randomUUID()}`, { amount: 1 });
    expect([answer.status, answer.body.errorCode]).toEqual([404, 'RESOURCE_UNKNOWN']);
    expect(answer.body.message).toBe('There is no such draft.');
  });

  it('does not ask the bank about a draft that cannot be changed', async () => {
    const draftId = await tpp.validDraft(account);
    await tpp.approve([draftId]);
    await service.bank.leave();
    const answer = await tpp.call('PATCH', `${DRAFTS}/${draftId}`, { senderAccountId: account });
    await service.bank.comeBack();
    expect([answer.status, answer.body.errorCode]).toEqual([409, 'STATUS_INVALID']);
  });

  it('answers 503 and changes nothing while the bank is away, and works again when it is back', async () => {
    const path = `${DRAFTS}/${await create()}`;
    const before = (await tpp.call('GET', path)).body;
    await service.bank.leave();
    const answer = await tpp.call('PATCH', path, { senderAccountId: account });
    expect([answer.status, answer.body.errorCode]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await tpp.call('GET', path)).body).toEqual(before);
    await service.bank.comeBack();
    await until(async () => (await tpp.call('PATCH', path, { senderAccountId: account })).status === 200, {
      what: 'the bank to be reached again',
    });
  });
});
