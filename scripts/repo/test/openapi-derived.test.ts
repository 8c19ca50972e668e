import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { deriveFromOpenapi } from '../openapi-derived.ts';
import { missingTool } from '../openapi-tools.ts';

const ROOT = join(import.meta.dirname, '../../..');

describeWith(
  'the types of the client and the Postman collection (§9.5)',
  { missing: missingTool('openapi-typescript') },
  () => {
    it('are those of the present documents', () => {
      expect(deriveFromOpenapi(ROOT, { check: true })).toEqual([]);
    });
  },
);
