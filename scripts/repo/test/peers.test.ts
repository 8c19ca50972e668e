import { join } from 'node:path';
import { SERVICE_IDENTITIES, type ServiceIdentity } from '@kontoport/internal-tls';
import { callsOfServices, rpcsOfServices } from '../pages/service-rpcs.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RPCS = await rpcsOfServices(ROOT);
const CALLS = callsOfServices(ROOT);

/** Callers from outside this repository, or from its examples. */
const OUTSIDE: readonly ServiceIdentity[] = ['bank', 'edge'];

describe('the rpcs of the services', () => {
  it.each(RPCS)('$path names who may call it, each once', ({ allowedCallers }) => {
    expect(allowedCallers).toBeDefined();
    expect(SERVICE_IDENTITIES).toEqual(expect.arrayContaining([...allowedCallers!]));
    expect(new Set(allowedCallers).size).toBe(allowedCallers!.length);
  });

  it('have names of their own, by which calls are found', () => {
    const methods = RPCS.map(({ method }) => method);
    expect(methods.filter((method, at) => methods.indexOf(method) !== at)).toEqual([]);
  });

  it.each(RPCS)(
    '$path is called by exactly the services that may call it',
    ({ method, allowedCallers = [] }) => {
      const callers = [...CALLS].filter(([, methods]) => methods.has(method)).map(([name]) => name);
      expect(callers.toSorted()).toEqual(allowedCallers.filter((peer) => !OUTSIDE.includes(peer)).toSorted());
    },
  );

  it.each([...CALLS])('%s calls nothing that nobody serves', (_name, methods) => {
    const served = new Set(RPCS.map(({ method }) => method));
    expect([...methods].filter((method) => !served.has(method))).toEqual([]);
  });
});
