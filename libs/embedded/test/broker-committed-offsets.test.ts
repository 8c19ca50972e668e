import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommittedOffsets } from '../src/broker/committed-offsets.ts';

const SOURCE = pathToFileURL(join(import.meta.dirname, '../src/broker/committed-offsets.ts')).href;

/** Commits lines of almost 1 KB until one has no room, then a short one; tells the last that was confirmed of each. */
const FILL = `
  const { CommittedOffsets } = await import(${JSON.stringify(SOURCE)});
  const offsets = new CommittedOffsets(process.argv[1]);
  let confirmed = 0;
  try {
    for (let offset = 1; offset < 1_000; offset++) {
      offsets.set('g', 't', 0, { offset, metadata: 'x'.repeat(900) });
      confirmed = offset;
    }
  } catch {}
  offsets.set('g', 't', 1, { offset: 7, metadata: null });
  process.stdout.write(String(confirmed));
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-offsets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('committed offsets', () => {
  it('that were confirmed outlive the process, those around a line that had no room, too', () => {
    const node = [process.execPath, '--input-type=module', '--eval', FILL, folder];
    // A file that may not grow stands for a disk that is full: the last write ends halfway.
    const confirmed = Number(execFileSync('sh', ['-c', 'ulimit -f 8 && exec "$@"', 'sh', ...node]));
    expect(confirmed).toBeGreaterThan(0);
    expect(confirmed).toBeLessThan(100);
    const offsets = new CommittedOffsets(folder);
    expect(offsets.get('g', 't', 0)?.offset).toBe(confirmed);
    expect(offsets.get('g', 't', 1)?.offset).toBe(7);
    offsets.close();
  });

  it('are found again where not a byte can be written', () => {
    const before = new CommittedOffsets(folder);
    before.set('g', 't', 0, { offset: 5, metadata: null });
    before.close();
    const read = `
      const { CommittedOffsets } = await import(${JSON.stringify(SOURCE)});
      process.stdout.write(String(new CommittedOffsets(process.argv[1]).get('g', 't', 0).offset));
    `;
    const node = [process.execPath, '--input-type=module', '--eval', read, folder];
    expect(execFileSync('sh', ['-c', 'ulimit -f 0 && exec "$@"', 'sh', ...node]).toString()).toBe('5');
  });

  it('lose a line that a crash cut off, and nothing that is committed after it', () => {
    const before = new CommittedOffsets(folder);
    before.set('g', 't', 0, { offset: 5, metadata: null });
    before.close();
    appendFileSync(join(folder, 'offsets.jsonl'), '["[\\"g\\",\\"t\\",0]",{"offs');
    const after = new CommittedOffsets(folder);
    expect(after.get('g', 't', 0)?.offset).toBe(5);
    after.set('g', 't', 0, { offset: 6, metadata: null });
    after.close();
    expect(new CommittedOffsets(folder).get('g', 't', 0)?.offset).toBe(6);
  });
});
