import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { kontoport } from '@kontoport/testing/kontoport';
import { LIMIT_MS, useStack } from './started-stack.ts';

// A home folder that cannot be: nothing may be kept in one, nor asked of it.
const { data, start } = useStack('test', { HOME: '/dev/null/home' });

/** Command line and environment of every process, as far as we may see them. */
function allProcesses(): string[] {
  if (!existsSync('/proc'))
    return execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const of = (part: string): string =>
          readFileSync(`/proc/${pid}/${part}`, 'utf8').replaceAll('\0', ' ');
        return [`${pid} ${of('cmdline')} ${of('environ')}`];
      } catch {
        return []; // it has ended meanwhile, or is not ours to look at
      }
    });
}

/** Processes of the stack on this data folder, once nothing changes any more: none, or those that stay. */
async function leftovers(): Promise<string[]> {
  const ours = (): string[] => allProcesses().filter((text) => text.includes(data()));
  await until(() => ours().length === 0, { what: 'the end of the stack' }).catch(() => undefined);
  return ours();
}

describe('npm start', () => {
  it(
    'runs the tour to its end, and leaves no process and no stack.json behind',
    async () => {
      const { ended, output } = start('--exit-after-tour');
      const status = await ended;
      expect(output()).toContain('The tour is complete');
      expect(status).toBe(0);
      expect(await leftovers()).toEqual([]);
      expect(existsSync(join(data(), 'stack.json'))).toBe(false);
      // Without a terminal: plain lines, and no secret among them.
      expect(output()).not.toContain('\u001b');
      const { secretsKey, clientSecretPepper } = JSON.parse(
        readFileSync(join(data(), 'secrets.json'), 'utf8'),
      ) as Record<string, string>;
      for (const secret of [secretsKey!, clientSecretPepper!]) expect(output()).not.toContain(secret);
    },
    LIMIT_MS,
  );

  it(
    'publishes the stack when it is ready, refuses a second start, and stops on SIGINT',
    async () => {
      const { child, ended, output, ready } = start('--no-tour');
      const stack = await ready();
      expect(stack.services.map(({ name }) => name).toSorted()).toEqual([
        'account-information',
        'auth',
        'payments',
        'registration',
        'webhook-dispatcher',
      ]);
      for (const file of [stack.serverCa, stack.trustAnchors, stack.issuingCa.key])
        expect(existsSync(file)).toBe(true);
      await until(() => output().includes('Ctrl-C'), { what: 'the hints how to go on' });
      expect(output()).toContain(`npm run tour -- --stack ${join(data(), 'stack.json')}`);
      expect(output()).toContain(`npm run qwac -- mint --data ${data()}`);

      const status = await kontoport(['status', '--json', '--data', data()]);
      expect({ status: status.status, ...JSON.parse(status.stdout) }).toMatchObject({
        status: 0,
        running: true,
        ready: true,
        addresses: ['base_url', 'registration_url', 'auth_url', 'user_url'].map((name) => ({
          name,
          isWell: true,
        })),
        services: stack.services.map(({ name }) => ({ name, isWell: true })),
      });
      const logs = await kontoport(['logs', 'auth', '--data', data(), '--lines', '2']);
      expect(logs).toMatchObject({ status: 0, stderr: '' });
      expect(logs.stdout).toMatch(/^(\d\d:\d\d:\d\d\.\d{3} info {2}\S.*\n){2}$/);

      const second = start('--no-tour');
      expect(await second.ended).toBe(1);
      expect(second.output()).toContain(`runs already on ${data()} (process ${child.pid})`);

      child.kill('SIGINT');
      expect(await ended).toBe(0);
      expect(output()).toContain('Stopped.');
      expect(await leftovers()).toEqual([]);
      expect(existsSync(join(data(), 'stack.json'))).toBe(false);
      const nothing = await kontoport(['status', '--json', '--data', data()]);
      expect({ status: nothing.status, ...JSON.parse(nothing.stdout) }).toMatchObject({
        status: 1,
        running: false,
      });
    },
    LIMIT_MS,
  );

  it(
    'stops in the middle of its start on SIGTERM',
    async () => {
      const { child, ended, output } = start('--no-tour');
      await until(() => output().includes('Kafka'), { timeout: LIMIT_MS, what: 'the first part to be open' });
      child.kill('SIGTERM');
      expect(await ended).toBe(143);
      expect(output()).not.toContain('is ready');
      expect(await leftovers()).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'reports a service that dies, with its log, and stops everything with status 1',
    async () => {
      const { ended, output, ready } = start('--no-tour');
      const { services } = await ready();
      const { pid } = services.find(({ name }) => name === 'payments')!;
      process.kill(pid, 'SIGKILL');
      expect(await ended).toBe(1);
      expect(output()).toContain('payments was ended by SIGKILL.');
      // Its last lines for a person, not as JSON.
      expect(output()).toMatch(/^ {2}\d\d:\d\d:\d\d\.\d{3} info /m);
      expect(output()).not.toContain('"level":');
      expect(output()).toContain(join(data(), 'logs/payments.log'));
      expect(await leftovers()).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'leaves no process behind even when it is killed itself',
    async () => {
      const { child, ready } = start('--no-tour');
      await ready();
      expect(allProcesses().filter((text) => text.includes(data())).length).toBeGreaterThan(8);
      child.kill('SIGKILL');
      expect(await leftovers()).toEqual([]);
      expect(existsSync(join(data(), 'stack.json'))).toBe(false);
    },
    LIMIT_MS,
  );
});
