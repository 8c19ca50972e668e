export { askBank, bankConfig, bankConnection, type ConnectBank, isUnknownToBank } from './bank.ts';
export { call } from './call.ts';
export { type ClientConstructor, createClient } from './client.ts';
export { fromServiceError, toServiceError } from './errors.ts';
export { defineRpc, type Rpc } from './rpc.ts';
export { type CallContext, startGrpcServer, unary, uploading } from './server.ts';
