export { TAG, derElement, derOid, derSequence, derUtf8String } from './der-writer.ts';
export { OID, ROLE_NAMES } from './oids.ts';
