/** Octets as lower-case hexadecimal, the form in which they are compared and shown. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
