import { REFERENCE, transactionIdOf } from './transaction-name.model.ts';

describe('the id of a transaction that the bank named (ADR-0019)', () => {
  it('is the UUID version 5 that any library computes', () => {
    // Of RFC 9562, appendix A.4: the namespace for domain names.
    const accountId = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(transactionIdOf({ accountId, reference: 'www.example.com' })).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });

  it('differs by account and by reference', () => {
    const [one, other] = ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6ba7b811-9dad-11d1-80b4-00c04fd430c8'];
    const ids = [one, other].flatMap((accountId) =>
      ['a', 'A'].map((reference) => transactionIdOf({ accountId, reference })),
    );
    expect(new Set(ids).size).toBe(4);
  });
});

describe('a reference of the bank (ADR-0019)', () => {
  it.each(['1', '!', '~', '2026-11-22/17 A', 'x'.repeat(64)])('may be %j', (reference) => {
    expect(reference).toMatch(REFERENCE);
  });

  it.each(['', ' ', ' a', 'a ', 'æ', 'a\u007f', 'a\tb', 'x'.repeat(65)])('is never %j', (reference) => {
    expect(reference).not.toMatch(REFERENCE);
  });
});
