import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { basename, dirname } from 'node:path';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { type Answer, checkError } from '@kontoport/openapi/check-answer';
import { ANSWER_CHANNEL, checkOfDocuments } from '@kontoport/testing/documented-answers';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Checks every answer of every server that runs in a test file; `answers.ts` fails the test. It lives outside the
 * files' own worlds, so that a worker reads and compiles the documents once.
 */
export default class AnswerEnvironment extends TestEnvironment {
  readonly #faults: string[] = [];
  readonly #ownPaths: string[] = [];
  readonly #isService: boolean;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    // The tests of a lib have routes of their own.
    this.#isService = basename(dirname(config.projectConfig.rootDir)) === 'services';
    this.global.kontoportAnswerFaults = this.#faults;
    this.global.kontoportOwnPaths = this.#ownPaths;
  }

  readonly #check = (published: unknown): void => {
    const answer = published as Answer;
    const isOwn = this.#ownPaths.some((path) => answer.path?.startsWith(path));
    const check = this.#isService && !isOwn ? checkOfDocuments() : checkError;
    this.#faults.push(...check(answer));
  };

  override async setup(): Promise<void> {
    await super.setup();
    subscribe(ANSWER_CHANNEL, this.#check);
  }

  override async teardown(): Promise<void> {
    unsubscribe(ANSWER_CHANNEL, this.#check);
    await super.teardown();
  }
}
