import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { OpenApiDocument } from './document.ts';

/** Rules besides the strict set, for readers of the document. */
const RULES = {
  // A redirect is a success, too.
  'operation-2xx-response': 'off',
  'rule/grants-something': {
    subject: { type: 'Responses' },
    assertions: { requireAny: ['200', '201', '202', '204', '302', '303'] },
    message: 'Operation must have an answer that grants what was asked for.',
  },
  'operation-tag-defined': 'error',
  'operation-singular-tag': 'error',
  'operation-description': 'error',
  'parameter-description': 'error',
  'path-params-defined': 'error',
  'no-schema-type-mismatch': 'error',
  'response-contains-header': { severity: 'error', names: { 200: ['X-Request-Id'], 201: ['X-Request-Id'] } },
} as const;

/** Returns the faults of a document by the strict rules, examples included, each with a JSON pointer. */
export async function lintDocument(document: OpenApiDocument): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems.map(
    ({ ruleId, message, location }) => `${location[0]?.pointer ?? '#/'}: ${message} (${ruleId})`,
  );
}
