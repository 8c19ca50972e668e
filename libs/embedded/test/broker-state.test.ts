import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerState } from '../src/broker/state.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-broker-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the state of the broker after a start', () => {
  it('has a topic with all its partitions', () => {
    const before = new BrokerState(folder);
    expect(before.createTopic('t', 3)).toBe('created');
    before.close();
    const after = new BrokerState(folder);
    expect(after.partitions('t')).toHaveLength(3);
    expect(after.createTopic('t', 3)).toBe('exists');
    after.close();
  });

  it('has no unfinished topic, which can be created again', () => {
    mkdirSync(join(folder, 'topics', 't~', '0'), { recursive: true });
    const state = new BrokerState(folder);
    expect(state.topicNames).toEqual([]);
    expect(state.createTopic('t', 3)).toBe('created');
    expect(state.partitions('t')).toHaveLength(3);
    state.close();
  });

  it('has no part of a topic whose creation failed', () => {
    const state = new BrokerState(folder);
    // A file is in the place of a partition's folder: the creation fails in the middle, as on a full disk.
    mkdirSync(join(folder, 'topics', 't~'));
    writeFileSync(join(folder, 'topics', 't~', '2'), '');
    expect(() => state.createTopic('t', 3)).toThrow('EEXIST');
    state.close();
    const after = new BrokerState(folder);
    expect(after.topicNames).toEqual([]);
    after.close();
  });

  it('ignores a stray file beside the topics', () => {
    mkdirSync(join(folder, 'topics'));
    writeFileSync(join(folder, 'topics', '.DS_Store'), '');
    const state = new BrokerState(folder);
    expect(state.topicNames).toEqual([]);
    state.close();
  });
});
