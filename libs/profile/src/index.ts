export { type Answer, type Call, jsonOf, openTransport, type TlsIdentity, type Transport } from './http.ts';
export { findProfile, type Profile, profileFolder, tokenFile } from './profile.ts';
export { explainRefusal, Refused } from './refusal.ts';
export { openSession, type ProfileOptions, readIdentity, type Session } from './session.ts';
export { readStack, type Stack, stackFile } from './stack.ts';
export { basic, renewToken } from './token.ts';
export { type Reply, startWebhookServer, type Webhook } from './webhook-server.ts';
