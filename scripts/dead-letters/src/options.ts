/** Topics by the names that people use here. */
export const TOPICS = ['postings', 'consents', 'transfers'] as const;

const topic = { type: 'string', choices: TOPICS, summary: 'only letters of this topic' } as const;
const json = { type: 'boolean', summary: 'answer as JSON' } as const;

export const LIST_OPTIONS = {
  topic,
  all: { type: 'boolean', summary: 'also those that were replayed' },
  show: { type: 'boolean', summary: 'also key, headers and content' },
  json,
} as const;

export const REPLAY_OPTIONS = {
  letter: {
    type: 'string',
    value: 'TOPIC:PARTITION:OFFSET',
    multiple: true,
    summary: 'this one, as list names it, whether or not it was replayed',
  },
  all: { type: 'boolean', summary: 'all that were not replayed yet' },
  topic,
  'dry-run': { type: 'boolean', summary: 'say what would be done, and do nothing' },
  json,
} as const;
