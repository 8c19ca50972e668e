import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogDestination } from './log-destination.ts';

const notice = (dropped: number): string => `dropped ${dropped}\n`;

describe('a log that is written to a file', () => {
  let folder: string;
  let fd: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kontoport-log-'));
    fd = openSync(join(folder, 'log'), 'a');
  });
  afterEach(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });

  it('has every line, in order, once it is flushed', async () => {
    const log = openLogDestination({ fd, notice });
    const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i} ${'ø'.repeat(20)}\n`);
    for (const line of lines) log.write(line);
    await log.flush(10_000);
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(lines.join(''));
  });

  it('drops what is more than 1 MB ahead of the disk, and says how much', async () => {
    const log = openLogDestination({ fd, notice });
    const line = `${'x'.repeat(1_023)}\n`;
    for (let i = 0; i < 1_034; i++) log.write(line);
    await log.flush(10_000);
    const written = readFileSync(join(folder, 'log'), 'utf8').split('\n');
    expect(written.filter((text) => text.startsWith('x')).length).toBe(1_024);
    expect(written).toContain('dropped 10');
  });
});

describe('a log whose disk is full', () => {
  it('costs lines, neither time nor an error', async () => {
    const fd = openSync('/dev/full', 'w');
    const log = openLogDestination({ fd, notice });
    for (let i = 0; i < 100; i++) log.write('line\n');
    const flushed = log.flush(50);
    await expect(flushed).resolves.toBeUndefined();
    closeSync(fd);
  });
});

describe('a log that is written where nothing can be', () => {
  it('is for nobody', async () => {
    const log = openLogDestination({ fd: 99_999, notice });
    log.write('line\n');
    await expect(log.flush(1_000)).resolves.toBeUndefined();
  });
});
