import { randomUUID } from 'node:crypto';
import { ERROR } from './error-codes.ts';

/** The assignment strategies of a member in the order of its preference, each with its metadata. */
export interface GroupProtocol {
  name: string;
  metadata: Buffer;
}

export interface JoinRequest {
  /** Empty in the first request; the group generates it. */
  memberId: string;
  clientId: string;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  protocolType: string;
  protocols: readonly GroupProtocol[];
}

export interface JoinAnswer {
  error: number;
  generation: number;
  protocol: string;
  leader: string;
  memberId: string;
  /** All members for the leader, none for the others. */
  members: readonly { memberId: string; metadata: Buffer }[];
}

export interface SyncAnswer {
  error: number;
  assignment: Buffer;
}

interface Member {
  readonly memberId: string;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  protocols: readonly GroupProtocol[];
  assignment: Buffer;
  /** Answers a pending join or sync. */
  joined?: ((answer: JoinAnswer) => void) | undefined;
  synced?: ((answer: SyncAnswer) => void) | undefined;
  session?: NodeJS.Timeout | undefined;
}

type State = 'empty' | 'joining' | 'syncing' | 'stable';

/** Milliseconds for the first members to join together. */
const FIRST_JOIN_MS = 50;
const MAX_MEMBERS = 1_000;
const NOTHING = Buffer.alloc(0);

/** A consumer group: its members and their leader. The leader assigns the partitions. */
export class Group {
  readonly #members = new Map<string, Member>();
  readonly #promised = new Set<string>();
  #state: State = 'empty';
  #generation = 0;
  #protocolType = '';
  #protocol = '';
  #leader = '';
  #round: NodeJS.Timeout | undefined;
  #gathering = false;

  /** The error of a commit under this membership. */
  mayCommit(memberId: string, generation: number): number {
    if (generation < 0 && this.#members.size === 0) return ERROR.none;
    return this.#membershipError(memberId, generation);
  }

  join(request: JoinRequest): Promise<JoinAnswer> {
    const refused = this.#refusal(request);
    if (refused !== undefined) return Promise.resolve(refused);
    const member = this.#members.get(request.memberId);
    if (member && this.#state === 'stable' && !this.#isChanged(member, request))
      return Promise.resolve(this.#answerFor(member));
    return new Promise((joined) => {
      member?.joined?.(refusal(ERROR.rebalanceInProgress, member.memberId));
      clearTimeout(member?.session);
      const { memberId, sessionTimeoutMs, rebalanceTimeoutMs, protocols } = request;
      this.#promised.delete(memberId);
      this.#protocolType = request.protocolType;
      this.#members.set(memberId, {
        memberId,
        sessionTimeoutMs,
        rebalanceTimeoutMs,
        protocols,
        assignment: member?.assignment ?? NOTHING,
        joined,
      });
      this.#rebalance();
    });
  }

  /** @param assignments from the leader; empty from other members */
  sync(
    memberId: string,
    generation: number,
    assignments: readonly { memberId: string; assignment: Buffer }[],
  ): Promise<SyncAnswer> {
    const error = this.#membershipError(memberId, generation);
    if (error !== ERROR.none) return Promise.resolve({ error, assignment: NOTHING });
    const member = this.#members.get(memberId)!;
    this.#keep(member);
    if (this.#state === 'joining')
      return Promise.resolve({ error: ERROR.rebalanceInProgress, assignment: NOTHING });
    if (this.#state === 'stable')
      return Promise.resolve({ error: ERROR.none, assignment: member.assignment });
    return new Promise((synced) => {
      member.synced = synced;
      if (memberId === this.#leader) this.#share(assignments);
    });
  }

  heartbeat(memberId: string, generation: number): number {
    const error = this.#membershipError(memberId, generation);
    if (error !== ERROR.none) return error;
    this.#keep(this.#members.get(memberId)!);
    return this.#state === 'joining' ? ERROR.rebalanceInProgress : ERROR.none;
  }

  leave(memberId: string): number {
    this.#promised.delete(memberId);
    return this.#remove(memberId) ? ERROR.none : ERROR.unknownMemberId;
  }

  close(): void {
    clearTimeout(this.#round);
    for (const { session } of this.#members.values()) clearTimeout(session);
  }

  #membershipError(memberId: string, generation: number): number {
    if (!this.#members.has(memberId)) return ERROR.unknownMemberId;
    return generation === this.#generation ? ERROR.none : ERROR.illegalGeneration;
  }

  #refusal({ memberId, clientId, protocolType, protocols }: JoinRequest): JoinAnswer | undefined {
    const others = [...this.#members.values()].filter((member) => member.memberId !== memberId);
    const fits =
      protocols.length > 0 &&
      (others.length === 0 ||
        (protocolType === this.#protocolType &&
          protocols.some(({ name }) => others.every((other) => hasProtocol(other, name)))));
    if (!fits) return refusal(ERROR.inconsistentGroupProtocol, memberId);
    if (memberId === '') {
      if (this.#members.size + this.#promised.size >= MAX_MEMBERS)
        return refusal(ERROR.groupMaxSizeReached, memberId);
      const given = `${clientId}-${randomUUID()}`;
      this.#promised.add(given);
      return refusal(ERROR.memberIdRequired, given);
    }
    const known = this.#members.has(memberId) || this.#promised.has(memberId);
    return known ? undefined : refusal(ERROR.unknownMemberId, memberId);
  }

  /** Whether a rejoin requires a rebalance: that of a leader, or one with another offer. */
  #isChanged(member: Member, { protocols }: JoinRequest): boolean {
    const same =
      protocols.length === member.protocols.length &&
      protocols.every(({ name, metadata }, at) => {
        const before = member.protocols[at]!;
        return before.name === name && before.metadata.equals(metadata);
      });
    return !same || member.memberId === this.#leader;
  }

  #rebalance(): void {
    if (this.#state !== 'joining') {
      this.#gathering = this.#state === 'empty';
      this.#state = 'joining';
      for (const member of this.#members.values()) this.#endSync(member, ERROR.rebalanceInProgress);
      const longest = Math.max(...[...this.#members.values()].map((member) => member.rebalanceTimeoutMs));
      clearTimeout(this.#round);
      this.#round = setTimeout(() => this.#endRound(), this.#gathering ? FIRST_JOIN_MS : longest);
    }
    if (!this.#gathering && [...this.#members.values()].every(({ joined }) => joined)) this.#endRound();
  }

  /** Removes members that did not join, and begins a generation with the others. */
  #endRound(): void {
    clearTimeout(this.#round);
    this.#gathering = false;
    for (const member of this.#members.values())
      if (member.joined === undefined) {
        clearTimeout(member.session);
        this.#members.delete(member.memberId);
      }
    this.#generation += 1;
    const [first] = this.#members.values();
    if (first === undefined) {
      this.#state = 'empty';
      return;
    }
    this.#state = 'syncing';
    if (!this.#members.has(this.#leader)) this.#leader = first.memberId;
    const members = [...this.#members.values()];
    this.#protocol = this.#members
      .get(this.#leader)!
      .protocols.find(({ name }) => members.every((member) => hasProtocol(member, name)))!.name;
    for (const member of members) {
      const { joined } = member;
      member.joined = undefined;
      this.#keep(member);
      joined?.(this.#answerFor(member));
    }
  }

  #answerFor({ memberId }: Member): JoinAnswer {
    return {
      error: ERROR.none,
      generation: this.#generation,
      protocol: this.#protocol,
      leader: this.#leader,
      memberId,
      members:
        memberId === this.#leader
          ? [...this.#members.values()].map((member) => ({
              memberId: member.memberId,
              metadata: member.protocols.find(({ name }) => name === this.#protocol)?.metadata ?? NOTHING,
            }))
          : [],
    };
  }

  #share(assignments: readonly { memberId: string; assignment: Buffer }[]): void {
    // Copied, so that the bytes of the request can be freed.
    const given = new Map(assignments.map(({ memberId, assignment }) => [memberId, Buffer.from(assignment)]));
    this.#state = 'stable';
    for (const member of this.#members.values()) {
      member.assignment = given.get(member.memberId) ?? NOTHING;
      this.#endSync(member, ERROR.none);
    }
  }

  #endSync(member: Member, error: number): void {
    const { synced } = member;
    member.synced = undefined;
    synced?.({ error, assignment: error === ERROR.none ? member.assignment : NOTHING });
  }

  /** Restarts the session of a member. A silent member is removed at its end. */
  #keep(member: Member): void {
    clearTimeout(member.session);
    member.session = setTimeout(() => this.#remove(member.memberId), member.sessionTimeoutMs);
  }

  #remove(memberId: string): boolean {
    const member = this.#members.get(memberId);
    if (member === undefined) return false;
    clearTimeout(member.session);
    this.#members.delete(memberId);
    member.joined?.(refusal(ERROR.unknownMemberId, memberId));
    this.#endSync(member, ERROR.unknownMemberId);
    if (this.#members.size === 0) this.#endRound();
    else this.#rebalance();
    return true;
  }
}

function hasProtocol({ protocols }: Member, wanted: string): boolean {
  return protocols.some(({ name }) => name === wanted);
}

function refusal(error: number, memberId: string): JoinAnswer {
  return { error, generation: -1, protocol: '', leader: '', memberId, members: [] };
}
