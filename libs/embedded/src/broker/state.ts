import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommittedOffsets } from './committed-offsets.ts';
import { Group } from './group.ts';
import { PartitionLog } from './partition-log.ts';

/** The form of a topic's name, which is also a folder. */
const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;
/** The suffix of a topic whose partitions are not all created; no topic name contains it. */
const UNFINISHED = '~';
const MAX_PARTITIONS = 1_000;
const MAX_GROUPS = 1_000;

/** The state of the broker under one folder. Logs and offsets survive the process; memberships do not. */
export class BrokerState {
  readonly #folder: string;
  readonly #topics = new Map<string, readonly PartitionLog[]>();
  readonly #groups = new Map<string, Group>();
  readonly offsets: CommittedOffsets;
  #lastProducerId = Date.now() * 1_000;

  constructor(folder: string) {
    this.#folder = join(folder, 'topics');
    mkdirSync(this.#folder, { recursive: true });
    this.offsets = new CommittedOffsets(folder);
    for (const entry of readdirSync(this.#folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      if (entry.name.endsWith(UNFINISHED)) rmSync(join(this.#folder, entry.name), { recursive: true });
      else this.#open(entry.name, readdirSync(join(this.#folder, entry.name)).length);
    }
  }

  get topicNames(): string[] {
    return [...this.#topics.keys()];
  }

  partitions(topic: string): readonly PartitionLog[] | undefined {
    return this.#topics.get(topic);
  }

  log(topic: string, partition: number): PartitionLog | undefined {
    return this.#topics.get(topic)?.[partition];
  }

  createTopic(name: string, partitions: number): 'created' | 'exists' | 'bad-name' | 'bad-count' {
    if (this.#topics.has(name)) return 'exists';
    if (!TOPIC_NAME.test(name)) return 'bad-name';
    if (partitions < 1 || partitions > MAX_PARTITIONS) return 'bad-count';
    this.#makeFolders(name, partitions);
    this.#open(name, partitions);
    return 'created';
  }

  /** The group, created on first use; undefined above the bound. */
  group(groupId: string): Group | undefined {
    const known = this.#groups.get(groupId);
    if (known !== undefined || this.#groups.size >= MAX_GROUPS) return known;
    const group = new Group();
    this.#groups.set(groupId, group);
    return group;
  }

  /** Returns an id that differs from all earlier ones, also before a restart. */
  nextProducerId(): number {
    this.#lastProducerId = Math.max(this.#lastProducerId + 1, Date.now() * 1_000);
    return this.#lastProducerId;
  }

  close(): void {
    for (const group of this.#groups.values()) group.close();
    for (const logs of this.#topics.values()) for (const log of logs) log.close();
    this.offsets.close();
  }

  /** Creates all partitions or none: after a crash or a full disk a partial topic would stay partial. */
  #makeFolders(name: string, partitions: number): void {
    const unfinished = join(this.#folder, name + UNFINISHED);
    for (let partition = 0; partition < partitions; partition++)
      mkdirSync(join(unfinished, String(partition)), { recursive: true });
    renameSync(unfinished, join(this.#folder, name));
  }

  #open(name: string, partitions: number): void {
    const logs = Array.from(
      { length: partitions },
      (_, partition) => new PartitionLog(join(this.#folder, name, String(partition))),
    );
    this.#topics.set(name, logs);
  }
}
