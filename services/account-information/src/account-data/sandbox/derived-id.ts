import { uuidV5 } from '../../uuid-v5.model.ts';

/** Namespace of the sandbox's ids (RFC 9562 §5.5). */
const NAMESPACE = Buffer.from('6c7e0f0e5d4b4d6f9a1c3b2e8f70a915', 'hex');

/** The same name has the same id in every process, and no name leads to another's id. */
export function derivedId(...name: readonly string[]): string {
  return uuidV5(NAMESPACE, name.join('/'));
}
