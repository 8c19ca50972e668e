import type { PostgresServer } from '@kontoport/embedded/embedded-postgres';
import type { ListenerWatch } from '../src/listener-watch.ts';

/** What setup started and teardown stops; Jest loads the two as separate modules, so it hangs on the global object. */
export const running: { postgres?: PostgresServer; listeners?: ListenerWatch } = ((
  globalThis as { kontoport?: object }
).kontoport ??= {});
