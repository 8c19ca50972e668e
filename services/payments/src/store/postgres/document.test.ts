import { fromDocument, toDocument } from './document.ts';

describe('a record in PostgreSQL is a document (ADR-0026)', () => {
  it('is read as it was written, with instants, lists and exact amounts', () => {
    const record = {
      createdAt: new Date('2026-11-21T12:00:00.123Z'),
      payment: { dueAt: new Date('2026-11-22T00:00:00.000Z'), attempts: 2 },
      fields: { amount: '999999999999999.990', receiverName: 'Łódź 🏦 \ud800 \u0000' },
      drafts: ['a', 'b'],
      isNot: null,
    };
    const document = toDocument(record);
    expect(fromDocument(JSON.parse(document))).toEqual(record);
    // PostgreSQL takes neither half a character nor a zero byte.
    expect([document.isWellFormed(), document.includes('\u0000')]).toEqual([true, false]);
  });

  it('omits absent fields', () => {
    expect(fromDocument(JSON.parse(toDocument({ there: 1, traceparent: undefined })))).toEqual({ there: 1 });
  });
});
