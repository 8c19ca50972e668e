import type { Answer } from './tpp-client.ts';

/** The bank broke the contract. */
export class TourFailure extends Error {
  override readonly name = 'TourFailure';
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}

/** Goes on only when `condition` holds. */
export function expectThat(condition: boolean, expected: string, got: unknown): asserts condition {
  if (!condition) throw new TourFailure(expected, typeof got === 'string' ? got : JSON.stringify(got));
}

/** Continues only with one of the statuses; a failure shows the bank's answer. */
export function expectStatus(answer: Answer, ...statuses: number[]): void {
  expectThat(
    statuses.includes(answer.status),
    `status ${statuses.join(' or ')}`,
    `${answer.status} ${answer.text.slice(0, 500)}`.trim(),
  );
}

/** A JSON object of an answer. */
export type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object in a body. */
export function jsonOf(answer: Answer): Json {
  let value: unknown;
  try {
    value = JSON.parse(answer.text);
  } catch {
    throw new TourFailure('a JSON body', answer.text.slice(0, 200) || 'an empty body');
  }
  expectThat(isObject(value), 'a JSON object', value);
  return value;
}

/** A text field that is there and not empty. */
export function textOf(json: Json, name: string): string {
  const value = json[name];
  expectThat(typeof value === 'string' && value !== '', `\`${name}\` as text`, value ?? 'nothing');
  return value;
}

/** A numeric field. */
export function numberOf(json: Json, name: string): number {
  const value = json[name];
  expectThat(typeof value === 'number', `\`${name}\` as a number`, value ?? 'nothing');
  return value;
}

/** A field that is itself an object. */
export function objectOf(json: Json, name: string): Json {
  const value = json[name];
  expectThat(isObject(value), `\`${name}\` as an object`, value ?? 'nothing');
  return value;
}

/** A field that is a list of objects. */
export function listOf(json: Json, name: string): Json[] {
  const value = json[name];
  expectThat(
    Array.isArray(value) && value.every(isObject),
    `\`${name}\` as a list of objects`,
    value ?? 'nothing',
  );
  return value as Json[];
}
