/**
 * `node:http`, whose types are imported as usual. As an ES module it would have all its exports read, WebSocket among them,
 * which brings along Node's own fetch: 110 ms and 14 MB in each process.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
