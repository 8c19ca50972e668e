export type { Answers, Clause, Refusal } from './answers.ts';
export { checkShape } from './check-shape.ts';
export { parseJson } from './parse-json.ts';
export type { BodyRule } from './body-rule.ts';
export type { Deprecation } from './deprecation.ts';
export { headerValues } from './header-values.ts';
export { instant } from './instant.ts';
export { interfaceRoutes } from './interface-routes.ts';
export { type HttpServerOptions, startHttpServer } from './http-server.ts';
export type { ErrorForm, ErrorPage } from './page.ts';
export type { AnsweredRequest } from './record-outcome.ts';
export {
  type AnswerHeaders,
  type Caller,
  declareRoute,
  type Authenticator,
  type AuthenticationRequest,
  type Route,
  type RouteDefinition,
} from './route.ts';
export { singleLineText, typedNumber } from './single-line-text.ts';
export { cursorOf, readCursor } from './list-cursor.ts';
export { numberOfList, pageOfList } from './list-query.ts';
export { uuid, uuidOf } from './uuid.ts';
