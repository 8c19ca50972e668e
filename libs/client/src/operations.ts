import type { components, paths, webhooks } from './gen/openapi.ts';

/** A method of the interface. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The data types of the interface, by their names in the OpenAPI documents. */
export type Schemas = components['schemas'];

/** The body of a webhook; switch on `eventType`. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type] extends {
    post: { requestBody: { content: { 'application/json': infer Body } } };
  }
    ? Body
    : never;
}[keyof webhooks];

/** The paths that have a method, as the OpenAPI documents write them. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, { responses: unknown }> ? Path : never;
}[keyof paths];

type OperationOf<M extends Method, Path extends PathOf<M>> = paths[Path][M];

type PathPart<Operation> = Operation extends { parameters: { path: infer Path } } ? { path: Path } : unknown;

type QueryPart<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? [Query] extends [undefined]
    ? unknown
    : { query?: Query }
  : unknown;

type BodyPart<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { body: Content[keyof Content] }
  : Operation extends { requestBody?: { content: infer Content } }
    ? [keyof Content] extends [never]
      ? unknown
      : { body?: Content[keyof Content] }
    : unknown;

/** The path parameters, the query and the body of an operation. */
export type OptionsOf<M extends Method, Path extends PathOf<M>> = PathPart<OperationOf<M, Path>> &
  QueryPart<OperationOf<M, Path>> &
  BodyPart<OperationOf<M, Path>>;

type AnswerOf<Operation> = Operation extends { responses: infer Answers }
  ? Answers[keyof Answers & (200 | 201 | 202 | 204)]
  : never;

type ContentOf<Content> = Content extends { 'application/json': infer Json }
  ? Json
  : keyof Content extends `text/${string}`
    ? string
    : Uint8Array;

/** The answer of an operation: JSON, text, the bytes of a file, or `undefined` without a body. */
export type ResultOf<M extends Method, Path extends PathOf<M>> =
  AnswerOf<OperationOf<M, Path>> extends { content: infer Content } ? ContentOf<Content> : undefined;

/** The paths of the lists in pages with a cursor. */
export type PagedPath = {
  [Path in PathOf<'get'>]: 'nextCursor' extends keyof ResultOf<'get', Path> ? Path : never;
}[PathOf<'get'>];
