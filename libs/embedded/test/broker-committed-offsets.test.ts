import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommittedOffsets } from '../src/broker/committed-offsets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-offsets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const appendPartialLine = (): void =>
  appendFileSync(join(folder, 'offsets.jsonl'), '\n["[\\"g\\",\\"t\\",0]",{"offs');

describe('committed offsets', () => {
  it('lose a partial line of a crash, and no later commit', () => {
    const before = new CommittedOffsets(folder);
    before.set('g', 't', 0, { offset: 5, metadata: null });
    before.close();
    appendPartialLine();
    const after = new CommittedOffsets(folder);
    expect(after.get('g', 't', 0)?.offset).toBe(5);
    after.set('g', 't', 0, { offset: 6, metadata: null });
    after.close();
    expect(new CommittedOffsets(folder).get('g', 't', 0)?.offset).toBe(6);
  });

  it('lose a partial line of a full disk, and no later commit', () => {
    const full = new CommittedOffsets(folder);
    full.set('g', 't', 0, { offset: 5, metadata: null });
    appendPartialLine();
    full.set('g', 't', 0, { offset: 6, metadata: null });
    full.close();
    expect(new CommittedOffsets(folder).get('g', 't', 0)?.offset).toBe(6);
  });
});
