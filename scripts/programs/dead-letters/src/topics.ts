/** Topics by the names that people use here. */
export const TOPICS = ['postings', 'consents', 'transfers'] as const;
