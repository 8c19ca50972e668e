import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resetData } from '../src/reset-data.ts';
import { AlreadyRunning, takeRunLock } from '../src/run-lock.ts';
import { ensureSecrets } from '../src/secrets.ts';
import { removeStackFile, type StackFile, writeStackFile } from '../src/stack-file.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'kontoport-data-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

describe('stack.json', () => {
  const stack: StackFile = {
    baseUrl: 'https://localhost:1',
    registrationUrl: 'https://localhost:2',
    authUrl: 'https://localhost:3',
    userUrl: 'https://localhost:4',
    serverCa: '/ca/root.pem',
    trustAnchors: '/anchors',
    services: [{ name: 'registration', pid: 1, ops: 'http://127.0.0.1:5', grpc: '127.0.0.1:6' }],
    issuingCa: { certificate: '/ca/issuing-ca.pem', key: '/ca/issuing-ca-key.pem' },
  };

  it('describes the running stack, and is removed afterwards', async () => {
    const file = await writeStackFile(data, stack);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(stack);
    removeStackFile(data);
    expect(existsSync(file)).toBe(false);
    removeStackFile(data);
  });
});

describe('secrets of the local stack', () => {
  it('are made once, with mode 0600, and stay the same', async () => {
    const file = join(data, 'secrets.json');
    const made = await ensureSecrets(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await ensureSecrets(file)).toEqual(made);
    expect(made.secretsKey).not.toBe(made.clientSecretPepper);
    for (const secret of Object.values(made))
      expect(Buffer.from(secret as string, 'base64url')).toHaveLength(32);
  });

  it('do not replace a damaged file, without which the databases are unreadable', async () => {
    const file = join(data, 'secrets.json');
    for (const secretsKey of ['short', `${'A'.repeat(43)},short`]) {
      writeFileSync(file, JSON.stringify({ secretsKey, clientSecretPepper: 'A'.repeat(43) }));
      await expect(ensureSecrets(file)).rejects.toThrow(/damaged/);
    }
  });
});

describe('one stack per data folder', () => {
  it('refuses a second one and names the process of the first', async () => {
    const lock = await takeRunLock(data);
    await expect(takeRunLock(data)).rejects.toMatchObject({
      name: 'AlreadyRunning',
      pid: String(process.pid),
    });
    await expect(takeRunLock(data)).rejects.toBeInstanceOf(AlreadyRunning);
    lock.release();
    (await takeRunLock(data)).release();
  });

  it('replaces the socket of a killed process', async () => {
    writeFileSync(join(data, 'running.sock'), '');
    const lock = await takeRunLock(data);
    lock.release();
    expect(existsSync(join(data, 'running.sock'))).toBe(false);
  });
});

describe('--reset', () => {
  it('deletes the data of npm start, linked database folders included, and nothing else', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'kontoport-elsewhere-'));
    symlinkSync(elsewhere, join(data, 'postgres'));
    for (const folder of ['ca', 'kafka']) mkdirSync(join(data, folder));
    writeFileSync(join(data, 'secrets.json'), '{}');
    writeFileSync(join(data, 'notes.txt'), 'mine');
    resetData(data);
    expect(existsSync(elsewhere)).toBe(false);
    for (const gone of ['postgres', 'ca', 'kafka', 'secrets.json'])
      expect(existsSync(join(data, gone))).toBe(false);
    expect(existsSync(join(data, 'notes.txt'))).toBe(true);
  });
});
