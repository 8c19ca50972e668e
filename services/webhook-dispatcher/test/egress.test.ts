import { postingFor, publish } from './running.ts';
import { openScene, type Scene } from './scene.ts';

describe('a callback that leads to a forbidden address when it is used', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene();
  });

  afterAll(() => scene.close());

  it('gets nothing, whatever was accepted when it was created; the attempts say why', async () => {
    const { tpp, client, receiver, subscription } = await scene.subscriber();
    const { port } = new URL(receiver.url);
    const byName = await client.subscribe(`http://localhost:${port}/hook`);
    await scene.restart({ CALLBACK_LOOPBACK: 'false' });
    await publish(scene.parts.producer, [postingFor([tpp])]);
    for (const one of [subscription, byName]) {
      const { attempts } = await scene.settled(one, 'exhausted');
      expect(attempts).toHaveLength(4);
      for (const attempt of attempts)
        expect(attempt).toEqual({
          startedAt: expect.any(String) as string,
          milliseconds: expect.any(Number) as number,
          outcome: 'forbidden',
        });
    }
    expect(receiver.connections()).toBe(0);
  });
});
