import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { basename, dirname } from 'node:path';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { type Answer, checkError } from '@kontoport/openapi/check-answer';
import {
  ANSWER_CHANNEL,
  checkOfDocuments,
  checkOfEvents,
  checkOfWebhooks,
  EVENT_CHANNEL,
  WEBHOOK_CHANNEL,
} from '@kontoport/testing/documented-answers';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Checks every answer, webhook and event of the servers in a test file; `answers.ts` fails the test. It is outside of
 * the modules of the test files, so a worker compiles the documents once.
 */
export default class AnswerEnvironment extends TestEnvironment {
  readonly #faults: string[] = [];
  readonly #ownPaths: string[] = [];
  readonly #isService: boolean;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    // Tests of a lib have their own routes.
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

  readonly #checks: readonly [string, (published: unknown) => void][] = [
    [ANSWER_CHANNEL, this.#check],
    [WEBHOOK_CHANNEL, (sent) => this.#faults.push(...checkOfWebhooks()(sent as never))],
    [EVENT_CHANNEL, (event) => this.#faults.push(...checkOfEvents()(event as never))],
  ];

  override async setup(): Promise<void> {
    await super.setup();
    for (const [channel, check] of this.#checks) subscribe(channel, check);
  }

  override async teardown(): Promise<void> {
    for (const [channel, check] of this.#checks) unsubscribe(channel, check);
    await super.teardown();
  }
}
