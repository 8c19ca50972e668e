import type { ClientDirectory } from '@kontoport/client-directory';
import type { Rpc } from '@kontoport/grpc';
import {
  type ClientDirectoryServiceServer,
  ClientDirectoryServiceService,
} from '@kontoport/proto/registration/v1';
import type { DirectoryHub } from './directory-hub.ts';

/** ClientDirectoryService; `own` is this replica's watcher among the others. */
export function directoryRpc({ hub, own }: { hub: DirectoryHub; own: ClientDirectory }): Rpc {
  const implementation: ClientDirectoryServiceServer = { watch: (stream) => hub.watch(stream) };
  return {
    definition: ClientDirectoryServiceService,
    implementation,
    async close() {
      // This replica's own watcher first: once cut off, it could not say that no deletion need wait for it.
      await own.close();
      hub.drain();
    },
  };
}
