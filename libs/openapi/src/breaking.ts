import { type Direction, isJson, type Json, resolve, schemaChanges } from './schema-changes.ts';

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/** Two documents of one interface, and an operation in each. */
interface Pair {
  before: Json;
  after: Json;
}

/**
 * What a caller written against one document of an interface can no longer do with another: removed operations,
 * parameters, answers, members and errorCodes, narrowed input, changed security. New optional input and new members,
 * values and statuses of answers are none (§9.4). Each line names operation and place.
 */
export function breakingChanges(before: Json, after: Json): string[] {
  const operations = operationsOf(after);
  const changes = [...operationsOf(before)].flatMap(([name, old]) => {
    const now = operations.get(name);
    if (now === undefined) return [`${name}: is gone`];
    const pair = { before, after };
    return [
      ...securityChanges(old, now),
      ...parameterChanges(pair, old, now),
      ...bodyChanges(pair, old, now),
      ...answerChanges(pair, old, now),
    ].map((change) => `${name}: ${change}`);
  });
  const urls = serversOf(after);
  const gone = serversOf(before).filter((url) => !urls.includes(url));
  return [
    ...gone.map((url) => `${url}: is no longer an address`),
    ...changes,
    ...webhookChanges({ before, after }),
  ];
}

/** Receivers take what they know: a webhook or a member that is gone is missed, whatever is new is not. */
function webhookChanges(pair: Pair): string[] {
  const [from, to] = [pair.before, pair.after].map(
    (document) => (document.webhooks ?? {}) as Record<string, Json>,
  );
  return Object.entries(from!).flatMap(([name, { post: old }]) => {
    const now = to![name]?.post as Json | undefined;
    if (now === undefined) return [`webhook ${name}: is gone`];
    const names = (operation: Json): string[] =>
      (operation.parameters as Json[])
        .filter(({ required }) => required)
        .map((header) => String(header.name));
    const present = names(now);
    const gone = names(old as Json).filter((header) => !present.includes(header));
    const bodies = [
      resolve(pair.before, (old as Json).requestBody),
      resolve(pair.after, now.requestBody),
    ] as const;
    return [
      ...gone.map((header) => `header ${header} is gone`),
      ...contentChanges(pair, ...bodies, 'received').map((change) => `body: ${change}`),
    ].map((change) => `webhook ${name}: ${change}`);
  });
}

/** Whether a version announces a breaking change to whoever uses the other: its first number that is not 0 grew. */
export function announcesBreak(before: string, after: string): boolean {
  const [old, now] = [before, after].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  const at = now!.findIndex((number, index) => number !== old![index]);
  if (at < 0 || now![at]! < old![at]!) return false;
  const first = old!.findIndex((number) => number > 0);
  return first < 0 || at <= first;
}

function operationsOf(document: Json): Map<string, Json> {
  const paths = isJson(document.paths) ? document.paths : {};
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(isJson(item) ? item : {})
        .filter(([verb]) => VERBS.includes(verb))
        .map(([verb, operation]) => [`${verb.toUpperCase()} ${path}`, operation as Json] as const),
    ),
  );
}

function securityChanges(old: Json, now: Json): string[] {
  const ways = (operation: Json): string[] =>
    (Array.isArray(operation.security) ? operation.security : []).map((way) => JSON.stringify(way));
  const [from, to] = [ways(old), ways(now)];
  const isOpen = to.length === 0;
  const suffices = from.length > 0 && from.every((way) => to.includes(way));
  return isOpen || suffices
    ? []
    : [`demands ${to.join(' or ')} instead of ${from.join(' or ') || 'nothing'}`];
}

function parameterChanges({ before, after }: Pair, old: Json, now: Json): string[] {
  const [from, to] = [parametersOf(before, old), parametersOf(after, now)];
  const added = [...to]
    .filter(([name, parameter]) => parameter.required === true && from.get(name)?.required !== true)
    .map(([name]) => `${name} is now required`);
  const changed = [...from].flatMap(([name, parameter]) => {
    const other = to.get(name);
    if (other === undefined) return [`${name} is gone`];
    const sides = [
      { document: before, schema: parameter.schema },
      { document: after, schema: other.schema },
    ] as const;
    return schemaChanges(...sides, 'sent', name);
  });
  return [...added, ...changed];
}

function parametersOf(document: Json, operation: Json): Map<string, Json> {
  const list = Array.isArray(operation.parameters) ? operation.parameters : [];
  return new Map(
    list.map((given) => {
      const parameter = resolve(document, given);
      return [`${String(parameter.in)} ${String(parameter.name)}`, parameter];
    }),
  );
}

function bodyChanges(pair: Pair, old: Json, now: Json): string[] {
  const [from, to] = [resolve(pair.before, old.requestBody), resolve(pair.after, now.requestBody)];
  const required = to.required === true && from.required !== true ? ['a body is now required'] : [];
  return [...required, ...contentChanges(pair, from, to, 'sent').map((change) => `body: ${change}`)];
}

function answerChanges(pair: Pair, old: Json, now: Json): string[] {
  const [from, to] = [old.responses as Json, now.responses as Json];
  return Object.entries(from).flatMap(([status, given]) => {
    if (to[status] === undefined) return [`answer ${status}: is gone`];
    const [answer, other] = [resolve(pair.before, given), resolve(pair.after, to[status])];
    const headers = resolve(pair.after, other.headers);
    const gone = Object.keys(resolve(pair.before, answer.headers)).filter((name) => !(name in headers));
    return [
      ...gone.map((name) => `header ${name} is gone`),
      ...contentChanges(pair, answer, other, 'received'),
    ].map((change) => `answer ${status}: ${change}`);
  });
}

function contentChanges(pair: Pair, old: Json, now: Json, direction: Direction): string[] {
  const [from, to] = [old.content, now.content].map((content) => (isJson(content) ? content : {}));
  return Object.entries(from!).flatMap(([type, media]) => {
    if (to![type] === undefined) return [`${type} is gone`];
    const sides = [
      { document: pair.before, schema: (media as Json).schema },
      { document: pair.after, schema: (to![type] as Json).schema },
    ] as const;
    return schemaChanges(...sides, direction);
  });
}

function serversOf(document: Json): string[] {
  return (Array.isArray(document.servers) ? document.servers : []).map((server: Json) => String(server.url));
}
