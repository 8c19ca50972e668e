import { isJson, type Json, resolve } from './json.ts';
import { Validator } from './validator.ts';

/** A POST to a callback as it is sent. */
export interface SentWebhook {
  /** Headers by lower-case name. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The faults of a webhook by its document: `webhook Posting.CreatedV1 data.amount: must be object`. */
export type CheckWebhook = (sent: SentWebhook) => string[];

/** Checks webhooks against the documents of the interfaces: every member of the body, and the headers. */
export function createWebhookCheck(documents: readonly Json[]): CheckWebhook {
  const validator = new Validator();
  const described = new Map<string, { document: Json; id: string; post: Json }>();
  for (const [index, document] of documents.entries()) {
    const id = `document:${index}`;
    validator.add(document, id);
    for (const [eventType, { post }] of Object.entries((document.webhooks ?? {}) as Record<string, Json>))
      described.set(eventType, { document, id, post: post as Json });
  }

  return ({ headers, body }) => {
    const value = parse(body);
    const eventType = isJson(value) ? String(value.eventType) : 'without a type';
    const found = described.get(eventType);
    const told = (faults: readonly string[]): string[] =>
      faults.map((fault) => `webhook ${eventType} ${fault}`);
    if (found === undefined) return told(['is in no document']);
    const { document, id, post } = found;
    const schema = (resolve(document, post.requestBody).content as Record<string, Json>)['application/json']!
      .schema;
    return told([...validator.faults(value, { schema, id }), ...headerFaults(post, headers)]);
  };

  function headerFaults(post: Json, headers: SentWebhook['headers']): string[] {
    return (post.parameters as Json[]).flatMap(({ name, required, schema }) => {
      const header = String(name);
      const given = headers[header.toLowerCase()];
      if (given === undefined) return required ? [`has no header ${header}`] : [];
      return validator.faults(given, { schema, id: '' }).map((fault) => `header ${header} ${fault}`);
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
