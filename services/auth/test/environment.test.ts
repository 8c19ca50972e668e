import { untilReady } from '@kontoport/embedded/until-ready';
import { until } from '@kontoport/embedded/wait';
import { defineService, type InProcess, startInProcess } from '@kontoport/service';
import { adapters } from '../src/adapters.ts';
import { app } from '../src/app.ts';
import { config } from '../src/config.ts';
import { openDeps } from '../src/deps.ts';
import { asked, authorizeUrl, TestBrowser, type Visit } from './browser.ts';
import { formsOf, headingOf, onwardsOf } from './page.ts';
import { countOf, requestToken, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

describe('where no user authentication is connected, as in production (§5.9)', () => {
  let around: Surroundings;
  let service: InProcess<unknown>;
  let origin: string;
  let userOrigin: string;

  beforeAll(async () => {
    around = await surroundAuth();
    const real = defineService({
      name: 'auth',
      config,
      adapters: { ...adapters, sandbox: adapters.production },
      open: openDeps,
      app,
    });
    service = await startInProcess(real, around.env);
    await untilReady({ name: 'auth', opsPort: service.opsPort, limitMs: 10_000 });
    origin = service.addresses.auth_url!;
    userOrigin = service.addresses.user_url!;
  });
  afterAll(async () => {
    await service.close();
    await around.close();
  });

  const open = async (clientId: string, changes: Record<string, string>, browser = new TestBrowser()) => {
    const visit = (): Promise<Visit> => browser.visit(authorizeUrl(userOrigin, asked(clientId, changes)));
    await until(async () => (await visit()).status === 303, { what: 'the TPP to be known' });
    return visit();
  };

  it.each<Record<string, string>>([{}, { login_hint: 'private-dk' }])(
    'answers prompt=none with login_required at the redirect URI: %j',
    async (hint) => {
      const { clientId } = await around.peers.addTpp();
      const { location, told } = await open(clientId, { prompt: 'none', ...hint });
      expect(location).toMatch(/^https:\/\/tpp\.test\/callback\?/);
      expect(told.get('error')).toBe('login_required');
      expect([told.get('state'), told.get('iss'), told.get('code')]).toEqual([
        'the state',
        around.env.TOKEN_ISSUER,
        null,
      ]);
      expect(await countOf(around.database.url, 'authorization_decision')).toBe(0);
    },
  );

  it('says on the page of a request that nobody can log in, and leads back to the client', async () => {
    const { clientId } = await around.peers.addTpp({ displayName: 'Fjord Budget ApS' });
    const browser = new TestBrowser();
    const { location } = await open(clientId, { ui_locales: 'da' }, browser);
    const page = await browser.visit(userOrigin + location!);
    expect([page.status, headingOf(page)]).toEqual([200, 'Ingen kan logge ind her endnu']);
    expect(page.text).toContain('intet samtykke til Fjord Budget ApS');
    const { refuse, ...others } = formsOf(page);
    expect(others).toEqual({});
    const left = await browser.send(userOrigin + refuse!.action, refuse!.fields);
    expect(onwardsOf(left).searchParams.get('error')).toBe('access_denied');
  });

  it('says so in place of the consents, and still gives clients their own tokens', async () => {
    const tpp = await around.peers.addTpp({ displayName: 'Fjord Budget ApS' });
    await open(tpp.clientId, {});
    const page = await new TestBrowser().visit(`${userOrigin}/consents?client_id=${tpp.clientId}`);
    expect([page.status, headingOf(page)]).toEqual([200, 'Nobody can log in here yet']);
    expect(formsOf(page)).toEqual({});
    expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(200);
  });
});
