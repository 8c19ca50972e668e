export {
  type InternalTls,
  internalTlsConfig,
  type InternalTlsConfig,
  openInternalTls,
} from './internal-tls.ts';
export { isOneOf, namesOf, noteCertificate, type Peer, PEERS, peerOf } from './peers.ts';
export { isLoopback, liveContext, liveTls, tlsFaults, type TlsOptions } from './tls-files.ts';
