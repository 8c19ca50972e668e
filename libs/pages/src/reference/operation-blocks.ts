import type { Block } from './blocks.ts';
import { callOf, variablesOf } from './call.ts';
import {
  type Document,
  type Entry,
  type MediaType,
  type Operation,
  type Parameter,
  resolve,
  type Response,
} from './document.ts';
import { describe, type Field, fieldsOf } from './fields.ts';
import { SAMPLE_LANGUAGES } from './samples.ts';
import { VERIFIERS } from './samples/verify-webhook.ts';

/** Describes one operation or webhook: access, parameters, body, answers, errors, samples. */
export function operationBlocks(document: Document, entry: Entry, base: string): Block[] {
  const { method, name, operation } = entry;
  const line =
    method === undefined ? `\`POST\` to your callback, event \`${name}\`` : `\`${method} ${name}\``;
  return [
    { kind: 'prose', text: line },
    ...(operation.deprecated ? [{ kind: 'prose', text: 'Deprecated.' } as const] : []),
    { kind: 'prose', text: operation.description ?? '' },
    ...(method === undefined ? [] : accessBlocks(operation)),
    ...parameterBlocks(document, operation),
    ...bodyBlocks(document, operation),
    ...answerBlocks(document, operation),
    ...errorBlocks(document, operation),
    ...(method === undefined ? verifierBlocks() : sampleBlocks(document, entry, base)),
  ];
}

function accessBlocks({ security = [] }: Operation): Block[] {
  const demanded = Object.assign({}, ...security) as Readonly<Record<string, readonly string[]>>;
  const scopes = (demanded.oauth ?? []).map((scope) => `\`${scope}\``).join(' and ');
  const parts = [
    ...('certificate' in demanded ? ['the client certificate (QWAC) of the TPP'] : []),
    ...('clientCredentials' in demanded ? ['clientId and clientSecret as HTTP Basic authentication'] : []),
    ...('oauth' in demanded ? [`an access token${scopes && ` with the scope ${scopes}`}`] : []),
  ];
  const text =
    parts.length === 0 ? 'Public: neither a certificate nor a token.' : `Requires ${parts.join(', and ')}.`;
  return [section('Access', 'access'), { kind: 'prose', text }];
}

function parameterBlocks(document: Document, { parameters = [] }: Operation): Block[] {
  const given = parameters.map((parameter) => resolve<Parameter>(document, parameter));
  const places = [
    ['path', 'Path parameters'],
    ['query', 'Query parameters'],
    ['header', 'Headers'],
  ] as const;
  return places.flatMap(([place, title]): Block[] => {
    const fields = given
      .filter((parameter) => parameter.in === place)
      .map(({ name, required = place === 'path', schema = {}, description }) =>
        describe(document, schema, { name, required, description }),
      );
    return fields.length === 0 ? [] : [section(title, place), { kind: 'fields', fields, prefix: place }];
  });
}

function bodyBlocks(document: Document, { requestBody }: Operation): Block[] {
  if (requestBody === undefined) return [];
  const types = Object.entries(requestBody.content ?? {});
  const optional = requestBody.required === false ? ' Optional.' : '';
  return [
    section('Body', 'body'),
    ...types.flatMap(([type, media]): Block[] => [
      { kind: 'prose', text: `\`${type}\`.${optional}` },
      ...mediaBlocks(document, media, 'body'),
    ]),
  ];
}

function answerBlocks(document: Document, { responses = {} }: Operation): Block[] {
  const answers = Object.entries(responses).filter(([status]) => status < '400');
  if (answers.length === 0) return [];
  return [
    section('Answers', 'answers'),
    ...answers.flatMap(([status, given]): Block[] => {
      const { description = '', headers = {}, content = {} } = resolve<Response>(document, given);
      const prefix = `answer-${status}`;
      const fields = Object.entries(headers).map(([name, header]): Field => {
        const { description: meaning = '' } = resolve<{ description?: string }>(document, header);
        return { name, type: 'header', required: false, description: meaning, bounds: [] };
      });
      return [
        { kind: 'heading', level: 3, text: status, id: prefix },
        { kind: 'prose', text: description },
        ...(fields.length === 0 ? [] : [{ kind: 'fields', fields, prefix: `${prefix}-header` } as const]),
        ...Object.entries(content).flatMap(([type, media]): Block[] => [
          { kind: 'prose', text: `\`${type}\`` },
          ...mediaBlocks(document, media, prefix),
        ]),
      ];
    }),
  ];
}

function mediaBlocks(document: Document, { schema, example }: MediaType, prefix: string): Block[] {
  const fields = fieldsOf(document, schema);
  return [
    ...(fields.length === 0 ? [] : [{ kind: 'fields', fields, prefix } as const]),
    ...(example === undefined
      ? []
      : [{ kind: 'code', language: 'json', code: JSON.stringify(example, null, 2) } as const]),
  ];
}

function errorBlocks(document: Document, { responses = {} }: Operation): Block[] {
  const errors = Object.entries(responses).filter(([status]) => status >= '400');
  if (errors.length === 0) return [];
  return [
    section('Errors', 'errors'),
    ...errors.flatMap(([status, given]): Block[] => {
      const { description = '' } = resolve<Response>(document, given);
      const [title = '', ...rest] = description.split('\n\n');
      return [
        { kind: 'heading', level: 3, text: `${status} ${title.replace(/\.$/, '')}`, id: `error-${status}` },
        { kind: 'prose', text: rest.join('\n\n').replaceAll(/^- `([A-Z_]+)`/gm, '- [`$1`](/errors/$1)') },
      ];
    }),
  ];
}

function sampleBlocks(document: Document, entry: Entry, base: string): Block[] {
  const call = callOf(document, entry, base);
  const variables = variablesOf(call).map((name) => `\`${name}\``);
  const reads = variables.length === 0 ? '' : ` They read ${variables.join(', ')} from the environment.`;
  const choices = SAMPLE_LANGUAGES.map(({ label, language, write }) => ({
    label,
    language,
    code: write(call),
  }));
  return [
    section('Samples', 'samples'),
    { kind: 'prose', text: `[The files that the samples read](/documentation#samples).${reads}` },
    { kind: 'choices', choices },
  ];
}

function verifierBlocks(): Block[] {
  const choices = SAMPLE_LANGUAGES.map(({ label, language }) => ({
    label: language === 'sh' ? 'Shell' : label,
    language,
    code: VERIFIERS[language]!,
  }));
  const text =
    'Each sample verifies the signature: it reads the body from the standard input, and `SUBSCRIPTION_KEY` and the header ' +
    '`X-HMAC-Signature` as `SIGNATURE` from the environment. Verify the bytes of the body as they came, before you parse them.';
  return [section('Verify the signature', 'samples'), { kind: 'prose', text }, { kind: 'choices', choices }];
}

const section = (text: string, id: string): Block => ({ kind: 'heading', level: 2, text, id });
