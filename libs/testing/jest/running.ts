import type { PostgresServer } from '@kontoport/embedded/start-postgres';

/** What setup started and teardown stops; Jest loads the two as separate modules, so it hangs on the global object. */
export const running: { postgres?: PostgresServer } = ((globalThis as { kontoport?: object }).kontoport ??=
  {});
