import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** Maximum size of an attachment in bytes. */
export const MAX_BYTES = 10_000_000;

/** An attachment of a transaction (§2.4). */
export interface Attachment {
  id: string;
  transactionId: string;
  accountId: string;
  name: string;
  mediaType: MediaType;
  /** Bytes. */
  size: number;
}

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The signature of each media type: the bytes at an offset, one of these. */
const SIGNATURES = {
  'application/pdf': [{ at: 0, oneOf: [ascii('%PDF-')] }],
  'image/jpeg': [{ at: 0, oneOf: [Buffer.from('ffd8ff', 'hex')] }],
  'image/png': [{ at: 0, oneOf: [Buffer.from('89504e470d0a1a0a', 'hex')] }],
  'image/webp': [
    { at: 0, oneOf: [ascii('RIFF')] },
    { at: 8, oneOf: [ascii('WEBP')] },
  ],
  'image/heic': [{ at: 4, oneOf: ['ftypheic', 'ftypheix', 'ftypmif1'].map(ascii) }],
} as const satisfies Record<string, readonly { at: number; oneOf: readonly Buffer[] }[]>;

/** Media types of attachments: a browser displays them and never executes them. */
export type MediaType = keyof typeof SIGNATURES;
export const MEDIA_TYPES = Object.keys(SIGNATURES) as readonly MediaType[];

/** Whether bytes begin with a signature of the media type. */
export function isOfType(content: Uint8Array, mediaType: MediaType): boolean {
  return SIGNATURES[mediaType].every(({ at, oneOf }) =>
    oneOf.some((signature) => signature.equals(content.subarray(at, at + signature.length))),
  );
}

/** Path separators, control characters and marks that change the direction of text. */
const FORBIDDEN = /[/\\\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Whether a text is a valid file name on every platform. */
export function isFileName(text: string): boolean {
  return /^(?!\.)(?! ).{1,150}(?<! )$/su.test(text) && !FORBIDDEN.test(text);
}

/** Makes the Content-Disposition: a download with its name in UTF-8, and in ASCII for clients that ignore `filename*`. */
export function dispositionOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w .()-]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Refuses an unknown attachment and one of another caller's transaction with the same error (§4.3). */
export function attachmentUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('attachment-unknown'));
}
