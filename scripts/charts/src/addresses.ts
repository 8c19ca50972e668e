// Patterns of addresses and blocks of them: what the API server takes in a NetworkPolicy.
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = `${OCTET}(\\.${OCTET}){3}`;
const IPV6 = '[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F.]*';
const IPV4_LENGTH = '/(3[0-2]|[12]?[0-9])';
const IPV6_LENGTH = '/(12[0-8]|1[01][0-9]|[1-9]?[0-9])';
const PORT = '(:[0-9]{1,5})?';

const BLOCK = `(${IPV4}${IPV4_LENGTH}|${IPV6}${IPV6_LENGTH})`;
const listed = (item: string): string => `^\\s*${item}(\\s*,\\s*${item})*\\s*$`;

export const ADDRESS_OR_BLOCK = `^(${IPV4}(${IPV4_LENGTH})?|${IPV6}(${IPV6_LENGTH})?)$`;
export const ONE_BLOCK = `^${BLOCK}$`;
export const IPV4_BLOCK = `^${IPV4}${IPV4_LENGTH}$`;
export const IPV6_BLOCK = `^${IPV6}${IPV6_LENGTH}$`;
/** With commas between them. */
export const BLOCKS = listed(BLOCK);
/** With commas between them: an address, with a port or without; one of IPv6 with a port in brackets. */
export const NAME_SERVERS = listed(`(${IPV4}${PORT}|${IPV6}|\\[${IPV6}\\]${PORT})`);
