import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommittedOffsets } from '../src/broker/committed-offsets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-offsets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('committed offsets', () => {
  it('lose a partial line of a crash, and no later commit', () => {
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
