import { type Answer, jsonOf } from '@kontoport/profile';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The deployment broke a promise. The message has statuses, codes and names of members, never values of a body. */
export class Broken extends Error {
  override readonly name = 'Broken';

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
  }
}

/** The deployment or configuration lacks a part that the check needs. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Continues only if the condition holds. */
export function expectThat(condition: boolean, expected: string, got: string): asserts condition {
  if (!condition) throw new Broken(expected, got);
}

/** Describes an answer by its status and its code, which have no secret. */
export function describeAnswer(answer: Answer): string {
  const { errorCode, error } = jsonOf(answer);
  const code = typeof errorCode === 'string' ? errorCode : error;
  return typeof code === 'string' && /^\w{1,40}$/.test(code)
    ? `${answer.status} ${code}`
    : String(answer.status);
}

/** Requires one of the statuses. @returns the JSON of the answer */
export function expectStatus(answer: Answer, ...statuses: number[]): Json {
  expectThat(statuses.includes(answer.status), `status ${statuses.join(' or ')}`, describeAnswer(answer));
  return jsonOf(answer);
}

/** Requires a refusal with this status and errorCode (§7). @returns the JSON of the answer */
export function expectRefusal(answer: Answer, status: number, code: string): Json {
  const isRefusal = answer.status === status && jsonOf(answer).errorCode === code;
  expectThat(isRefusal, `${status} ${code}`, describeAnswer(answer));
  return jsonOf(answer);
}

/** Requires two refusals that a caller cannot tell apart (§4). */
export function expectSameRefusal(first: Answer, second: Answer): void {
  const body = (answer: Answer): string => JSON.stringify({ ...jsonOf(answer), requestId: undefined });
  expectThat(
    first.status === second.status && body(first) === body(second),
    'the same answer for another client’s id and an unknown id',
    `${describeAnswer(first)} and ${describeAnswer(second)} with different bodies or statuses`,
  );
}

/** The text of a header; empty where it is absent. */
export function headerOf({ headers }: Answer, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

/** Requires a header whose value matches. */
export function expectHeader(answer: Answer, name: string, form: RegExp): void {
  const value = headerOf(answer, name);
  expectThat(
    form.test(value),
    `a header ${name} of the form ${form.source}`,
    value === '' ? 'none' : 'another',
  );
}

/** A text member that is not empty. */
export function textOf(json: Json, name: string): string {
  const value = json[name];
  expectThat(typeof value === 'string' && value !== '', `${name} as a text`, typeof value);
  return value;
}

/** A member that is a list of objects. */
export function listOf(json: Json, name: string): Json[] {
  const value = json[name];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
  expectThat(isList, `${name} as a list of objects`, typeof value);
  return value as Json[];
}
