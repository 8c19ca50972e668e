import { ApiError, defineTexts, type Text, writtenText } from '@kontoport/errors';

// Checked by tsc alone: each line below an expected error must not compile.
const sentences = { en: 'is {n}', da: 'er {n}', sv: 'är {n}', nb: 'er {n}' };
const TEXTS = defineTexts({ 'is-n': { en: 'is {n}', da: 'er {n}', sv: 'är {n}', nb: 'er {n}' } });
const said: Text = TEXTS('is-n', { n: 1 });

new ApiError('FORMAT_ERROR', said, { details: [{ path: 'n', text: writtenText(sentences) }] });

// @ts-expect-error a sentence made by hand
new ApiError('FORMAT_ERROR', { rule: 'is-n', values: { n: 1 }, in: () => 'is 1' });

// @ts-expect-error a plain sentence
new ApiError('FORMAT_ERROR', 'is 1');

// @ts-expect-error a copy of a text
new ApiError('FORMAT_ERROR', { rule: said.rule, values: said.values, in: said.in.bind(said) });

// @ts-expect-error a detail made by hand
new ApiError('FORMAT_ERROR', said, { details: [{ path: 'n', text: { ...sentences, in: () => '' } }] });

// @ts-expect-error a value that is lacking
TEXTS('is-n');

// @ts-expect-error a sentence that is in no catalogue
TEXTS('is-m', { n: 1 });
