import type { IncomingRecord } from '@kontoport/events';
import { findLetters, type FoundLetter, kafkaOf, letterTopics, nameOf, readAll } from './letters.ts';

/** The options of `list`. */
export interface ListOptions {
  topic?: string;
  all?: boolean;
  show?: boolean;
  json?: boolean;
}

/** Lists dead letters; resolves to the exit status. */
export async function listLetters(options: ListOptions, env: NodeJS.ProcessEnv): Promise<number> {
  const kafka = kafkaOf(env);
  const names = letterTopics(options.topic);
  const found = await findLetters(kafka, names);
  const letters = found.filter(({ replayedAt }) => options.all || replayedAt === undefined);
  const contents = options.show
    ? await contentsOf(letters, (take) => readAll(kafka, names, take))
    : undefined;
  if (options.json) {
    const told = letters.map((letter) => ({
      ...letterAsJson(letter),
      ...contents?.get(nameOf(letter.place)),
    }));
    console.log(JSON.stringify({ letters: told }, undefined, 2));
    return 0;
  }
  for (const letter of letters) {
    console.log(lineOf(letter));
    for (const [part, value] of Object.entries(contents?.get(nameOf(letter.place)) ?? {}))
      console.log(`  ${part}: ${JSON.stringify(value)}`);
  }
  const replayed = found.filter(({ replayedAt }) => replayedAt !== undefined).length;
  console.log(`${found.length - replayed} to be looked after, ${replayed} replayed.`);
  return 0;
}

/** A letter as a line for people. Control characters are replaced, so its content cannot move the cursor. */
export function lineOf({ place, at, size, reason, origin, replayedAt }: FoundLetter): string {
  const from = `${origin.topic}:${origin.partition}:${origin.offset}`;
  const done = replayedAt === undefined ? '' : `, replayed ${replayedAt.toISOString()}`;
  return `${nameOf(place)}  ${at.toISOString()}  ${size} bytes from ${from}: ${reason}${done}`.replaceAll(
    /\p{C}/gu,
    '�',
  );
}

/** A letter for programs. */
export function letterAsJson({ place, replayedAt, ...letter }: FoundLetter) {
  return { letter: nameOf(place), ...place, ...letter, ...(replayedAt === undefined ? {} : { replayedAt }) };
}

interface Content {
  key: string | null;
  headers: IncomingRecord['headers'];
  /** A text; other bytes are in `valueBase64`. */
  value?: string | null;
  valueBase64?: string;
}

async function contentsOf(
  letters: readonly FoundLetter[],
  read: (take: (records: readonly IncomingRecord[]) => void) => Promise<void>,
): Promise<Map<string, Content>> {
  const wanted = new Set(letters.map(({ place }) => nameOf(place)));
  const contents = new Map<string, Content>();
  await read((records) => {
    for (const record of records)
      if (wanted.has(nameOf(record))) contents.set(nameOf(record), contentOf(record));
  });
  return contents;
}

function contentOf({ key, value, headers }: IncomingRecord): Content {
  const text = value?.toString() ?? null;
  const isText = text === null || Buffer.from(text).equals(value!);
  return {
    key: key?.toString() ?? null,
    headers,
    ...(isText ? { value: text } : { valueBase64: value!.toString('base64') }),
  };
}
