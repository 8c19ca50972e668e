export { type Edge, type EdgeOptions, PortTaken, startEdge } from './edge.ts';
export type { EdgeAddress } from './routes.ts';
