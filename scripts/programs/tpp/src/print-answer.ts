import { STATUS_CODES } from 'node:http';
import { styleFor } from '@kontoport/command';
import { type Answer, type Call, explainRefusal } from '@kontoport/profile';

/** Prints an answer for people, or as JSON. @returns the exit status: 1 for an answer of 400 or more */
export function printAnswer(request: Call, answer: Answer, { json = false }: { json?: boolean }): number {
  if (json) console.log(JSON.stringify(inJson(answer), undefined, 2));
  else show(request, answer);
  return answer.status < 400 ? 0 : 1;
}

/** The body as JSON, or as text where it is none. */
function bodyOf({ body }: Answer): unknown {
  const content = body.toString('utf8');
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}

const inJson = (answer: Answer): Record<string, unknown> => ({
  status: answer.status,
  requestId: answer.headers['x-request-id'],
  milliseconds: answer.milliseconds,
  headers: answer.headers,
  body: bodyOf(answer),
});

/** Prints the body on the standard output, and status, request id and the cure of a refusal on the standard error. */
function show(request: Call, answer: Answer): void {
  const { status, headers, milliseconds, body } = answer;
  const content = bodyOf(answer);
  if (typeof content === 'string') process.stdout.write(body);
  else console.log(JSON.stringify(content, undefined, 2));
  const style = styleFor(process.stderr, process.env);
  const outcome = style(status < 400 ? 'green' : 'red', `${status} ${STATUS_CODES[status] ?? ''}`.trim());
  console.error(`${outcome}  ${milliseconds} ms  request ${String(headers['x-request-id'])}`);
  if (headers.location !== undefined) console.error(`Location: ${headers.location}`);
  if (status >= 400) for (const line of explainRefusal(request, answer).slice(1)) console.error(line);
}
