import { InputError } from '@kontoport/command';
import { ConfigError, readConfig } from '@kontoport/config';
import {
  DEAD_LETTER_GROUP,
  type DeadLetter,
  deadLetterOf,
  deadLetterTopic,
  type IncomingRecord,
  type Kafka,
  kafkaAccess,
  kafkaConfig,
  type LetterPlace,
  openKafka,
  replayedBy,
  topics,
} from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import { TOPICS } from './topics.ts';

const CLIENT_ID = 'dead-letters';

/** A letter, and when it was replayed, where it was. */
export type FoundLetter = DeadLetter & { replayedAt: Date | undefined };

/**
 * A client of the Kafka that the variables name.
 * @throws InputError naming every variable that is missing or malformed
 */
export function kafkaOf(env: NodeJS.ProcessEnv): Kafka {
  const logger = createLogger({ service: CLIENT_ID, level: 'silent' });
  try {
    const config = readConfig(kafkaConfig, env);
    return openKafka({ ...kafkaAccess({ config, logger }), clientId: CLIENT_ID, logger });
  } catch (error) {
    if (error instanceof ConfigError) throw new InputError(error.message);
    throw error;
  }
}

/** The topics of dead letters, or that of one topic. */
export function letterTopics(topic: string | undefined): string[] {
  return TOPICS.filter((name) => topic === undefined || name === topic).map((name) =>
    deadLetterTopic(topics[name].name),
  );
}

/** Reads everything in these topics of dead letters. */
export function readAll(
  kafka: Kafka,
  names: readonly string[],
  take: (records: readonly IncomingRecord[]) => Promise<void> | void,
): Promise<void> {
  return kafka.readToEnd({
    groupId: DEAD_LETTER_GROUP,
    topics: names,
    take: async (records) => take(records),
  });
}

/** All letters of these topics, oldest first. */
export async function findLetters(kafka: Kafka, names: readonly string[]): Promise<FoundLetter[]> {
  const letters: DeadLetter[] = [];
  const replayed = new Map<string, Date>();
  await readAll(kafka, names, (records) => {
    for (const record of records) {
      const letter = deadLetterOf(record);
      if (letter !== undefined) letters.push(letter);
      const receipt = replayedBy(record);
      if (receipt !== undefined) replayed.set(nameOf(receipt), new Date(record.timestamp));
    }
  });
  return letters
    .map((letter) => ({ ...letter, replayedAt: replayed.get(nameOf(letter.place)) }))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** The name of a letter on the command line: `postings:0:17`. */
export function nameOf({ topic, partition, offset }: LetterPlace): string {
  const name = TOPICS.find((each) => deadLetterTopic(topics[each].name) === topic) ?? topic;
  return `${name}:${partition}:${offset}`;
}
