import { percentEncodedPem } from './certificate-text.ts';
import { FormFault } from './form-fault.ts';

const PAIR = /([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^",;]*))(;|,|$)/y;

/**
 * Reads the chain from one element of Envoy's `x-forwarded-client-cert`. `Chain` is the presented chain, leaf first; `Cert`
 * is the leaf. If both are present they must agree. Other keys are ignored.
 * @throws FormFault also for a second element: a proxy cannot vouch for an element of another proxy
 */
export function readXfcc(value: string): readonly Uint8Array[] {
  const pairs = readPairs(value);
  const [cert, chain] = [pairs.get('cert'), pairs.get('chain')];
  const [leaf, more] = cert === undefined ? [] : percentEncodedPem(cert);
  if (more) throw new FormFault('form');
  const presented = chain === undefined ? [] : percentEncodedPem(chain);
  const first = presented[0] ?? leaf;
  if (!first) throw new FormFault('form');
  if (leaf && Buffer.compare(leaf, first) !== 0) throw new FormFault('form');
  return presented.length > 0 ? presented : [first];
}

/** Values by key in lower case. A duplicate key is refused: another reader might use the other value. */
function readPairs(value: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (let at = 0; ;) {
    PAIR.lastIndex = at;
    const pair = PAIR.exec(value);
    if (!pair) throw new FormFault('form');
    const [whole, key = '', quoted, plain = '', end] = pair;
    const name = key.toLowerCase();
    if (pairs.has(name)) throw new FormFault('form');
    pairs.set(name, quoted ?? plain);
    if (end === ',') throw new FormFault('several-callers');
    if (end === '') return pairs;
    at += whole.length;
  }
}
