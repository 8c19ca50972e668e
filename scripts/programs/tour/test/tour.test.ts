import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSandboxCa } from '@kontoport/issuing';
import { kontoport } from '@kontoport/testing/kontoport';
import { startWebhookReceiver, type WebhookReceiver } from '../src/webhook-receiver.ts';

const KEY = 'abcdefghijklmnopqrstuvwxyzABCDEF';

describe('the webhook receiver of the tour (§5.8)', () => {
  let receiver: WebhookReceiver;
  const deliver = async (body: string, signature: string): Promise<number> => {
    const response = await fetch(receiver.url, {
      method: 'POST',
      headers: { 'x-hmac-signature': signature },
      body,
    });
    return response.status;
  };
  const sign = (body: string, key = KEY): string => createHmac('sha256', key).update(body).digest('hex');
  const event = '{ "subscriptionId":"s1", "eventType":"Posting.CreatedV1" }';

  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    receiver.trust('s1', KEY);
  });
  afterEach(() => receiver.close());

  it('takes a delivery whose signature holds over the bytes as sent', async () => {
    expect(await deliver(event, sign(event))).toBe(204);
    expect(await receiver.receive('it', () => true, 100)).toMatchObject({ event: { subscriptionId: 's1' } });
  });

  it('is gone for as long as it says so, and forgets what came meanwhile', async () => {
    receiver.isGone = true;
    expect(await deliver(event, sign(event))).toBe(410);
    await expect(receiver.receive('a webhook', () => true, 0)).rejects.toThrow(/no delivery/);
    receiver.isGone = false;
    expect(await deliver(event, sign(event))).toBe(204);
  });

  it.each([
    ['the key of another subscription', event, sign(event, KEY.toLowerCase())],
    ['re-serialized JSON', event, sign(JSON.stringify(JSON.parse(event)))],
    ['upper-case hexadecimal', event, sign(event).toUpperCase()],
    ['no signature', event, ''],
    ['an unknown subscription', '{"subscriptionId":"s2"}', sign('{"subscriptionId":"s2"}')],
    ['a body that is not JSON', 'x', sign('x')],
  ])('refuses %s', async (_title, body, signature) => {
    expect(await deliver(body, signature)).toBe(401);
    await expect(receiver.receive('a webhook', () => true, 0)).rejects.toThrow(
      /expected a webhook within 0 s/,
    );
  });
});

describe('npm run tour', () => {
  let folder: string;
  let bank: Server;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kontoport-tour-'));
    const ca = await ensureSandboxCa({
      folder: join(folder, 'ca'),
      trustAnchors: join(folder, 'anchors'),
      at: new Date(),
    });
    const identity = {
      cert: readFileSync(ca.server.certificate),
      key: readFileSync(ca.server.key),
    };
    bank = createServer(identity, (_request, response) => {
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"errorCode":"ROLE_INVALID","message":"no","requestId":"r"}');
    }).listen(0, '127.0.0.1');
    await once(bank, 'listening');
    const { port } = bank.address() as AddressInfo;
    const url = `https://localhost:${port}`;
    writeFileSync(
      join(folder, 'stack.json'),
      JSON.stringify({
        baseUrl: url,
        registrationUrl: url,
        authUrl: url,
        userUrl: url,
        serverCa: ca.root.certificate,
        issuingCa: ca.issuingCa,
      }),
    );
  });
  afterAll(async () => {
    bank.closeAllConnections();
    bank.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const tour = (...args: string[]) => kontoport(['tour', ...args]);

  it('says what it expected and what it got, and ends with status 1', async () => {
    const { status, stdout } = await tour('--stack', join(folder, 'stack.json'));
    expect(status).toBe(1);
    expect(stdout).toMatch(/expected\s+status 201\n/);
    expect(stdout).toMatch(/got\s+403 \{"errorCode":"ROLE_INVALID"/);
  });

  it('waits for Enter before each chapter with --steps', async () => {
    const file = ['--stack', join(folder, 'stack.json')];
    const { status, stdout } = await kontoport(['tour', '--steps', ...file], { input: '\n\n' });
    expect(status).toBe(1);
    expect(stdout.match(/Enter: the next chapter/g)).toHaveLength(2);
    expect(stdout).toContain('organizationIdentifier  PSDDK-DFSA-');
  });

  it('says so when no stack runs', async () => {
    const { status, stderr } = await tour('--stack', join(folder, 'nowhere.json'));
    expect(status).toBe(2);
    expect(stderr).toContain('npm start');
  });
});
