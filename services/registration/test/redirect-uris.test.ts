import { type ClientDirectory, isRedirectUriOf, openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { type Answer, ask } from '@kontoport/testing/answer';
import { register, type RegisteredTpp, REGISTRATION } from './running.ts';
import { useRegistrations } from './suite.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const [OLD] = REGISTRATION.redirectUris as [string];
const NEW = 'https://fjord.example/new';

const suite = useRegistrations({ replicas: 2 });

let directory: ClientDirectory;

beforeAll(async () => {
  directory = openClientDirectory({ address: `127.0.0.1:${suite.b.grpcPort}`, service: 'test', logger });
  await until(() => directory.readiness() === undefined, { what: 'the directory is ready' });
});

afterAll(async () => {
  await directory.close();
});

function put(tpp: RegisteredTpp, body: unknown, clientId = tpp.clientId): Promise<Answer> {
  return ask('PUT', `${suite.a.origin}/tpp/${clientId}/redirect-uris`, {
    headers: { ...tpp.headers, 'content-type': 'application/json' },
    body,
  });
}

/** Whether a service that watches replica b accepts the URI; undefined when its directory is UNAVAILABLE. */
function takes({ clientId }: RegisteredTpp, uri: string): boolean | undefined {
  try {
    return isRedirectUriOf(directory.find(clientId)!, uri);
  } catch {
    return undefined;
  }
}

const shown = async (tpp: RegisteredTpp): Promise<unknown> =>
  (await ask('GET', `${suite.b.origin}/tpp/${tpp.clientId}`, tpp)).body.redirectUris;

describe('PUT /tpp/{clientId}/redirect-uris (§4.2)', () => {
  it('answers 200 with the client as GET shows it, with these URIs only', async () => {
    const tpp = await suite.registerTpp();
    const redirectUris = [NEW, 'http://localhost:3000/cb'];
    const { status, body } = await put(tpp, { redirectUris });
    expect(status).toBe(200);
    expect(body).toEqual((await ask('GET', `${suite.a.origin}/tpp/${tpp.clientId}`, tpp)).body);
    expect(body.redirectUris).toEqual(redirectUris);
  });

  it('when it answers, services at another replica accept the new ones and no removed one', async () => {
    const tpp = await suite.registerTpp();
    expect([takes(tpp, OLD), takes(tpp, NEW)]).toEqual([true, false]);
    await put(tpp, { redirectUris: [NEW] });
    expect([takes(tpp, OLD), takes(tpp, NEW)]).toEqual([false, true]);
  });

  it('is repeatable: the same list is 200 again and changes nothing', async () => {
    const tpp = await suite.registerTpp();
    await put(tpp, { redirectUris: [NEW] });
    const { revision } = directory.find(tpp.clientId)!;
    expect((await put(tpp, { redirectUris: [NEW] })).status).toBe(200);
    expect(directory.find(tpp.clientId)!.revision).toBe(revision);
    await put(tpp, { redirectUris: [OLD, NEW] });
    await put(tpp, { redirectUris: [NEW, OLD] });
    expect(await shown(tpp)).toEqual([NEW, OLD]);
  });

  it('changes no other client of the certificate', async () => {
    const tpp = await suite.registerTpp();
    const sibling = String((await register(suite.a.origin, tpp.applicant)).body.clientId);
    await put(tpp, { redirectUris: [NEW] });
    expect(isRedirectUriOf(directory.find(sibling)!, OLD)).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ['no list', {}, 'redirectUris'],
    ['an empty list', { redirectUris: [] }, 'redirectUris'],
    ['a URI over http', { redirectUris: ['http://fjord.example/'] }, 'redirectUris.0'],
    ['no URI', { redirectUris: [NEW, 'fjord'] }, 'redirectUris.1'],
    ['two spellings of one URI', { redirectUris: ['https://a.b/c', 'https://A.b:443/c'] }, 'redirectUris'],
    ['an unknown field', { redirectUris: [NEW], name: 'x' }, 'name'],
  ])('refuses %s with 400, and the list stays', async (_what, body, path) => {
    const tpp = await suite.registerTpp();
    expect(await put(tpp, body)).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', details: [{ path }] },
    });
    expect(await shown(tpp)).toEqual([OLD]);
  });

  it('accepts 20 URIs and 10,000 characters, as registration does, and refuses more with 409', async () => {
    const tpp = await suite.registerTpp();
    const uris = (count: number, length: number): string[] =>
      Array.from({ length: count }, (_, i) => `https://fjord.example/${i}/`.padEnd(length, 'x'));
    const statuses = [];
    for (const redirectUris of [uris(20, 500), uris(21, 40), [...uris(19, 500), ...uris(20, 501).slice(19)]])
      statuses.push((await put(tpp, { redirectUris })).status);
    expect(statuses).toEqual([200, 409, 409]);
    expect(await shown(tpp)).toHaveLength(20);
  });
});
