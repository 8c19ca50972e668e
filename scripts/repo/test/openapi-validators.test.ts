import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { missingTool, runTool, type ToolName } from '../openapi-tools.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTS = globSync('proto/openapi/**/*.json', { cwd: ROOT }).toSorted();

/** A validator of each language, and its arguments for a document. */
const VALIDATORS: readonly (readonly [language: string, tool: ToolName, args: (file: string) => string[]])[] =
  [
    ['Python', 'openapi-spec-validator', (file) => [file]],
    ['Go', 'libopenapi', (file) => [file]],
    ['Java', 'openapi-generator', (file) => ['validate', '-i', file]],
  ];

describe.each(VALIDATORS)('the OpenAPI documents, judged in %s (§9.5)', (language, tool, args) => {
  describeWith(tool, { missing: missingTool(tool) }, () => {
    it.each(DOCUMENTS)('%s is valid', (document) => {
      const { status, stdout, stderr } = runTool(tool, args(join(ROOT, document)));
      expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
    });

    it(`a document with a fault is refused by ${language}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'kontoport-openapi-'));
      try {
        const text = readFileSync(join(ROOT, 'proto/openapi/token.json'), 'utf8');
        const file = join(folder, 'token.json');
        const { info: _info, ...without } = JSON.parse(text) as Record<string, unknown>;
        writeFileSync(file, JSON.stringify(without));
        expect(runTool(tool, args(file)).status).not.toBe(0);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
});
