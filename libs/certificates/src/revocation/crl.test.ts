import { derElement, derOid, derSequence, derUtf8String } from '../der/der-writer.ts';
import { TAG } from '../der/tag.ts';
import { OID } from '../x509/oids.ts';
import { readRevocationList, readRevocationListInSteps } from './crl.ts';

const time = derElement(TAG.utcTime, Buffer.from('260101000000Z'));
const algorithm = derSequence([derOid('1.2.840.10045.4.3.2')]);
const name = derSequence([derElement(TAG.set, derSequence([derOid(OID.commonName), derUtf8String('CA')]))]);

function serial(i: number): Buffer {
  const octets = Buffer.alloc(5, 1);
  octets.writeUInt32BE(i, 1);
  return derElement(TAG.integer, octets);
}

/** A CRL with `entries` entries and no valid signature. */
function makeList(entries: number): Uint8Array {
  const revoked = Array.from({ length: entries }, (_, i) => derSequence([serial(i), time]));
  const tbs = derSequence([
    derElement(TAG.integer, Buffer.of(1)),
    algorithm,
    name,
    time,
    time,
    ...(entries > 0 ? [derSequence(revoked)] : []),
  ]);
  return derSequence([tbs, algorithm, derElement(TAG.bitString, Buffer.of(0, 1))]);
}

describe('a long CRL', () => {
  it('is read with all its entries', () => {
    const { revoked } = readRevocationList(makeList(50_000));
    expect(revoked.size).toBe(50_000);
    expect(revoked.get('010000c34f')).toBe(Date.UTC(2026, 0, 1));
  });

  it('lets other work through while it is read in steps, with the same result', async () => {
    const der = makeList(20_000);
    let turns = 0;
    let isRead = false;
    const other = (async () => {
      while (!isRead) {
        turns += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const list = await readRevocationListInSteps(der);
    isRead = true;
    await other;
    expect(turns).toBeGreaterThan(10);
    expect(list).toEqual(readRevocationList(der));
  });

  it('is refused above 20 MB', () => {
    expect(() => readRevocationList(new Uint8Array(20_000_001))).toThrow('more than the 20000000 allowed');
  });

  it('may be empty', () => {
    expect(readRevocationList(makeList(0)).revoked.size).toBe(0);
  });
});
