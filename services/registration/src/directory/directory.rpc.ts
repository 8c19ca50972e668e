import type { ClientDirectory } from '@kontoport/client-directory';
import { defineRpc, type Rpc } from '@kontoport/grpc';
import { ClientDirectoryServiceService } from '@kontoport/proto/registration/v1';
import type { DirectoryHub } from './directory-hub.ts';
import type { EncodedStream } from './watch-stream.ts';

/** The service as it is generated, but for responses that are encoded already. */
const encodedService = {
  watch: {
    ...ClientDirectoryServiceService.watch,
    responseSerialize: (message: Uint8Array): Buffer =>
      Buffer.from(message.buffer, message.byteOffset, message.byteLength),
  },
};

/** ClientDirectoryService; `own` is this replica's watcher among the others. */
export function directoryRpc({ hub, own }: { hub: DirectoryHub; own: ClientDirectory }): Rpc {
  return defineRpc({
    definition: encodedService,
    allowedCallers: {
      watch: ['registration', 'auth', 'account-information', 'payments', 'webhook-dispatcher'],
    },
    implementation: { watch: (stream: EncodedStream) => hub.watch(stream) },
    async close() {
      // This replica's own watcher first: once cut off, it could not say that no deletion need wait for it.
      await own.close();
      hub.drain();
    },
  });
}
