import type { Html } from '@kontoport/pages';

/** The contents of a page of the console. */
export interface Screen {
  title: string;
  body: Html;
  /** Seconds after which the browser loads it again. */
  reloadAfter?: number;
}
