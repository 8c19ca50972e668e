import { ERROR_CODES, type ErrorCode } from '@kontoport/errors';
import { type Answer, type Call, jsonOf } from './http.ts';

/** The bank refused a call. The message has its cause and cure. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(call: Call, answer: Answer) {
    super([`${call.method} ${call.url} is refused.`, ...explainRefusal(call, answer)].join('\n'));
    this.status = answer.status;
  }
}

/** Explains an answer of 400 or more, in lines: its code and message, cause, cure and the page of the code. */
export function explainRefusal({ url }: Call, answer: Answer): string[] {
  const json = jsonOf(answer);
  const text = (name: string): string | undefined =>
    typeof json[name] === 'string' ? json[name] : undefined;
  const code = text('errorCode');
  const words = text('message') ?? text('error_description') ?? '';
  const lines = [`${answer.status} ${code ?? text('error') ?? ''} ${words}`.trim()];
  if (code === undefined || !(code in ERROR_CODES)) return lines;
  const { cause, cure } = ERROR_CODES[code as ErrorCode];
  return [...lines, `Cause: ${cause.en}`, `Cure: ${cure.en}`, `${new URL(url).origin}/errors/${code}`];
}
