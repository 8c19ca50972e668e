import type { ClientDirectory } from '@kontoport/client-directory';
import { defineRpc, type Rpc } from '@kontoport/grpc';
import { ClientDirectoryServiceService } from '@kontoport/proto/registration/v1';
import type { DirectoryHub } from './directory-hub.ts';
import type { EncodedStream } from './watch-stream.ts';

/** The generated service, with encoded responses. */
const encodedService = {
  watch: {
    ...ClientDirectoryServiceService.watch,
    responseSerialize: (message: Uint8Array): Buffer =>
      Buffer.from(message.buffer, message.byteOffset, message.byteLength),
  },
};

/** ClientDirectoryService; `own` is this replica's own watcher. */
export function directoryRpc({ hub, own }: { hub: DirectoryHub; own: ClientDirectory }): Rpc {
  return defineRpc({
    definition: encodedService,
    allowedCallers: {
      watch: ['registration', 'auth', 'account-information', 'payments', 'webhook-dispatcher'],
    },
    implementation: { watch: (stream: EncodedStream) => hub.watch(stream) },
    async close() {
      // This replica's own watcher first: after the drain it could not report that it leaves, and deletions would wait for it.
      await own.close();
      hub.drain();
    },
  });
}
