import type { Rpc } from '@kontoport/grpc';
import {
  type ClientDirectoryServiceServer,
  ClientDirectoryServiceService,
} from '@kontoport/proto/registration/v1';
import type { DirectoryHub } from './directory-hub.ts';

/** ClientDirectoryService. */
export function directoryRpc(hub: DirectoryHub): Rpc {
  const implementation: ClientDirectoryServiceServer = { watch: (stream) => hub.watch(stream) };
  return { definition: ClientDirectoryServiceService, implementation };
}
