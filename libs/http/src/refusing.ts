// Exports for the edge, which refuses requests as the services do and has no routes.
export { endWithRefusal, expectationUnknown, hostMissing, refuseTunnel } from './broken-request.ts';
export { languageOf } from './language.ts';
export type { ErrorForm } from './page.ts';
export { refusalReply } from './refusal-reply.ts';
export { requestIdOf } from './request-id.ts';
export { routeUnknown } from './route-unknown.ts';
