import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { reportAnswerFault, WATCH_ARGUMENTS } from '@kontoport/testing/watched-process';

/** A server that answers once, and not as `GET /tpp/{clientId}` is documented. */
const SERVER = `
import { channel } from 'node:diagnostics_channel';
const headers = { 'content-type': 'application/json', 'x-request-id': 'r' };
channel('kontoport.http.answer').publish({ method: 'GET', path: '/tpp/:clientId', status: 200, headers, body: '{}' });
`;

const found = (): string[] =>
  (globalThis as unknown as { kontoportAnswerFaults: string[] }).kontoportAnswerFaults.splice(0);

describe('a watched process', () => {
  it('logs an undocumented answer, which fails the test', async () => {
    const child = spawn(process.execPath, [...WATCH_ARGUMENTS, '--input-type=module', '--eval', SERVER], {
      cwd: join(import.meta.dirname, '../../..'),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child, 'close');
    for (const line of said.split('\n')) reportAnswerFault(line);
    expect(found()).toContain("GET /tpp/{clientId} 200 must have required property 'clientId'");
  });

  it('is not failed by another line', () => {
    reportAnswerFault('{"level":"info","msg":"request"}');
    reportAnswerFault('Error: no JSON');
    expect(found()).toEqual([]);
  });
});
