import type { PostgresServer } from '@kontoport/embedded/embedded-postgres';
import type { ListenerWatch } from '../src/listener-watch.ts';

/** Shared by setup and teardown on the global object, because Jest loads the two as separate modules. */
export const running: { postgres?: PostgresServer; listeners?: ListenerWatch } = ((
  globalThis as { kontoport?: object }
).kontoport ??= {});
