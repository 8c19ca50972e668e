// What a door needs that refuses as the services do and serves no routes of its own: the edge.
export { endWithRefusal } from './broken-request.ts';
export { errorReply, type ErrorReply } from './error-reply.ts';
export { languageOf } from './language.ts';
export { requestIdOf } from './request-id.ts';
export { routeUnknown } from './route-unknown.ts';
