import { isJson, type Json, resolve } from './json.ts';
import { Validator } from './validator.ts';

/** An event on its way to a topic. */
export interface PublishedEvent {
  topic: string;
  headers: Readonly<Record<string, unknown>>;
  /** JSON text. */
  value: string;
}

/** The faults of an event by the document of the topics: `event Posting.CreatedV1 amountValue: must be string`. */
export type CheckEvent = (event: PublishedEvent) => string[];

/** Checks events against an AsyncAPI document: every member of value and headers. An undocumented topic is no fault. */
export function createEventCheck(document: Json): CheckEvent {
  const id = 'topics';
  const validator = new Validator();
  validator.add({ components: { schemas: (document.components as Json).schemas } }, id);
  const channels = Object.values(document.channels as Record<string, Json>);

  return ({ topic, headers, value }) => {
    const channel = channels.find(({ address }) => address === topic);
    if (channel === undefined) return [];
    const type = String(headers.ce_type);
    const told = (faults: readonly string[]): string[] => faults.map((fault) => `event ${type} ${fault}`);
    const message = messagesOf(document, channel).find(({ name }) => name === type);
    if (message === undefined) return told([`is no message of ${topic}`]);
    return told([
      ...validator.faults(JSON.parse(value), { schema: message.payload, id }),
      ...validator.faults(headers, { schema: message.headers, id }).map((fault) => `headers ${fault}`),
    ]);
  };
}

/** The messages of a channel, which names them by references into itself or the components. */
function messagesOf(document: Json, channel: Json): Json[] {
  return Object.values(isJson(channel.messages) ? channel.messages : {}).map((given) =>
    resolve(document, given),
  );
}
