import type { Tpp } from './tpp.ts';

/** A promise of the contract, and the calls that show whether a deployment keeps it. */
export interface Check {
  /** The clause of the contract, such as `4.3`. */
  clause: string;
  /** Unique name. */
  id: string;
  /** The promise, as a sentence. */
  must: string;
  /** The role that the client needs. */
  role?: 'PSP_AI' | 'PSP_PI';
  /** Whether the check changes a simulated bank, or needs a simulated user. */
  isForSandbox?: boolean;
  /** @throws Broken, or Skipped where the deployment lacks a part */
  run(tpp: Tpp): Promise<void>;
}

/** The result of a check. */
export interface Result extends Pick<Check, 'clause' | 'id' | 'must'> {
  outcome: 'passed' | 'failed' | 'skipped';
  /** The reason of a failed or skipped check. */
  reason?: string;
  milliseconds: number;
}
