import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { type Answer, ask } from '@kontoport/testing/answer';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { registerTpp, registrationEnv, startBroker } from './running.ts';

let peers: FakePeers;
let broker: Broker;
let database: TestDatabase;
let service: ServiceProcess;
let origin: string;

beforeAll(async () => {
  peers = await startFakePeers();
  broker = await startBroker();
  database = await testDatabase('registration');
  const httpPort = await freePort();
  origin = `http://127.0.0.1:${httpPort}`;
  service = startServiceProcess({
    service: 'registration',
    env: {
      ...registrationEnv({ peers, databaseUrl: database.url, broker, grpcPort: await freePort() }),
      HTTP_PORT: String(httpPort),
      OPS_PORT: String(await freePort()),
      LOG_LEVEL: 'trace',
    },
  });
  await service.ready();
});

afterAll(async () => {
  await service.kill();
  await database.drop();
  await peers.close();
  await broker.stop();
});

describe('a private key in an added certificate (§4.2)', () => {
  it('is 400 at any position and under any label, and no byte of it is logged or returned', async () => {
    const tpp = await registerTpp(peers, origin);
    const { qwac } = tpp.applicant;
    const { keyPem, fullChainPem: chain } = qwac;
    const base64 = keyPem.replaceAll(/-----.*-----|\s/g, '');
    const renamed = keyPem.replaceAll('PRIVATE KEY', 'CERTIFICATE');
    const inside = [chain + keyPem, keyPem + chain, keyPem, renamed + chain, renamed, keyPem.padEnd(40_001)];
    const send = async (body: unknown): Promise<Answer> =>
      ask('POST', `${origin}/tpp/${tpp.clientId}/certificates`, {
        headers: { ...tpp.headers, 'content-type': 'application/json' },
        body,
      });
    const answers = [await send(`{"certificate": "${base64}`)];
    for (const certificate of [...inside, keyPem.replaceAll('\n', ' ')])
      answers.push(await send({ certificate }));
    expect(answers.map(({ status, body }) => [status, body.errorCode])).toEqual(
      answers.map(() => [400, 'FORMAT_ERROR']),
    );
    expect(JSON.stringify(answers)).not.toContain(base64.slice(40, 60));
    expect((await send({ certificate: chain, [keyPem]: keyPem })).status).toBe(400);
    expect((await send({ certificate: keyPem })).body.message).toMatch(/private key/);
    await service.kill();
    const log = JSON.stringify(service.log);
    expect(log).toContain('FORMAT_ERROR');
    for (let at = 0; at + 12 <= base64.length; at += 12) expect(log).not.toContain(base64.slice(at, at + 12));
  });
});
