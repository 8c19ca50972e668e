import type { Html } from '@kontoport/pages';

/** What a page of the console shows. */
export interface Screen {
  title: string;
  body: Html;
  /** Seconds after which the browser loads it again. */
  reloadAfter?: number;
}
