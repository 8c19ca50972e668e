import type { Language } from '@kontoport/errors';
import type { Page } from '@kontoport/pages';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers by names in lower case. */
type ReplyHeaders = Readonly<Record<Lowercase<string>, string | readonly string[]>>;

interface Contents {
  /** Serialised (JSON.rawJSON for exact amounts). */
  json: unknown;
  /** JSON that is serialised already, or its bytes in UTF-8: those of a document are encoded once. */
  jsonText: string | Uint8Array;
  bytes: Uint8Array;
  /** Bytes in parts, each read after the caller received the previous one. `length` is their sum. */
  parts: AsyncIterable<Uint8Array>;
  /** A page, which the shell of the address renders. */
  page: Page;
  /** An absolute URL, or a path. */
  redirect: string;
}

type Only<K extends keyof Contents> = Pick<Contents, K> & {
  [Other in Exclude<keyof Contents, K>]?: undefined;
};

/** A reply with one kind of content, or none. */
export type Reply<Status extends number = number> = {
  status: Status;
  /** A list makes several headers of one name, such as two Set-Cookie. */
  headers?: ReplyHeaders;
  /** The language of the texts in it. */
  language?: Language;
  /** Called once with whether the whole reply was handed to the connection. It must not throw. */
  delivered?: (whole: boolean) => void;
} & (
  | Only<'json'>
  | Only<'jsonText'>
  | (Only<'bytes'> & { /** Media type. */ type: string })
  | (Only<'parts'> & { /** Media type. */ type: string; length: number })
  | Only<'page'>
  | Only<'redirect'>
  | { [None in keyof Contents]?: undefined }
);
