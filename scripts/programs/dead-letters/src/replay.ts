import { UsageError } from '@kontoport/command';
import { createProducer, type IncomingRecord, type Kafka, receiptOf, replayOf } from '@kontoport/events';
import { findLetters, type FoundLetter, kafkaOf, letterTopics, nameOf, readAll } from './letters.ts';
import { letterAsJson, lineOf } from './list.ts';
import { TOPICS } from './topics.ts';

const LETTER = new RegExp(`^(${TOPICS.join('|')}):\\d{1,9}:\\d{1,19}$`);
/** Records that are sent at once. */
const AT_ONCE = 100;

/** The options of `replay`. */
export interface ReplayOptions {
  letter?: string[];
  all?: boolean;
  topic?: string;
  dryRun?: boolean;
  json?: boolean;
}

/** Sends dead letters again; resolves to the exit status. */
export async function replayLetters(options: ReplayOptions, env: NodeJS.ProcessEnv): Promise<number> {
  const { letter: named = [], all = false, topic, dryRun: isDry = false, json } = options;
  requireChoice({ named, all, topic });
  const kafka = kafkaOf(env);
  const topics = all ? [topic] : [...new Set(named.map((name) => name.split(':')[0]!))];
  const names = topics.flatMap(letterTopics);
  const found = await findLetters(kafka, names);
  const chosen = found.filter(({ place, replayedAt }) =>
    all ? replayedAt === undefined : named.includes(nameOf(place)),
  );
  const sent = isDry ? new Set<string>() : await send(kafka, { names, chosen });
  const known = new Set(chosen.map(({ place }) => nameOf(place)));
  const missing = named.filter((name) => !known.has(name));
  const outcome = ({ place }: FoundLetter): string =>
    isDry ? 'would be replayed' : sent.has(nameOf(place)) ? 'replayed' : 'is gone';
  if (json) {
    const letters = chosen.map((one) => ({ ...letterAsJson(one), outcome: outcome(one) }));
    console.log(JSON.stringify({ letters, missing }, undefined, 2));
  } else {
    for (const one of chosen) console.log(`${outcome(one)}: ${lineOf(one)}`);
    for (const name of missing) console.log(`is no letter, or none any more: ${name}`);
    console.log(isDry ? `${chosen.length} would be replayed.` : `${sent.size} of ${chosen.length} replayed.`);
  }
  return missing.length === 0 && (isDry || sent.size === chosen.length) ? 0 : 1;
}

function requireChoice({
  named,
  all,
  topic,
}: {
  named: string[];
  all: boolean;
  topic: string | undefined;
}): void {
  if (all === named.length > 0) throw new UsageError('name letters with --letter, or say --all');
  if (topic !== undefined && !all) throw new UsageError('--topic goes with --all; a letter names its own');
  const wrong = named.find((name) => !LETTER.test(name));
  if (wrong !== undefined)
    throw new UsageError(`"${wrong}" names no letter; list names them, such as postings:0:17`);
}

/**
 * Sends each letter to its original topic, and then a receipt beside it. After a crash between the two, the letter is sent once more.
 * @returns the names of the sent letters; a letter may expire meanwhile, by the retention of its topic
 */
async function send(
  kafka: Kafka,
  { names, chosen }: { names: readonly string[]; chosen: readonly FoundLetter[] },
): Promise<Set<string>> {
  const letters = new Map(chosen.map((letter) => [nameOf(letter.place), letter]));
  const sent = new Set<string>();
  if (letters.size === 0) return sent;
  const producer = createProducer({ kafka });
  try {
    await readAll(kafka, names, async (records: readonly IncomingRecord[]) => {
      const found = records.flatMap((record) => {
        const letter = letters.get(nameOf(record));
        return letter === undefined ? [] : [{ record, letter }];
      });
      for (let at = 0; at < found.length; at += AT_ONCE) {
        const part = found.slice(at, at + AT_ONCE);
        await producer.send(part.map(({ record, letter }) => replayOf(record, letter)));
        await producer.send(part.map(({ letter }) => receiptOf(letter)));
        for (const { letter } of part) sent.add(nameOf(letter.place));
      }
    });
  } finally {
    await producer.close();
  }
  return sent;
}
