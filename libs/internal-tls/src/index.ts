export { type InternalTls, internalTlsConfig, openInternalTls } from './internal-tls.ts';
export {
  isAllowed,
  rememberCertificate,
  type ServiceIdentity,
  SERVICE_IDENTITIES,
  peerIdentities,
} from './service-identity.ts';
export { isLoopback, reloadableContext, reloadableTls, tlsFaults, type TlsOptions } from './tls-files.ts';
