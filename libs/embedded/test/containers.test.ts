import { chooseTestParts, inContainers } from '@kontoport/embedded/containers';

const given = process.env.TEST_CONTAINERS;
afterEach(() => {
  if (given === undefined) delete process.env.TEST_CONTAINERS;
  else process.env.TEST_CONTAINERS = given;
});

describe('the parts that tests use', () => {
  it.each([
    ['true', /^Tests use PostgreSQL \(.+\) and Apache Kafka \(.+\) in containers\.$/],
    ['false', /^Tests use the embedded PostgreSQL .*: TEST_CONTAINERS is false\.$/],
  ])('are decided by TEST_CONTAINERS=%s', async (value, line) => {
    process.env.TEST_CONTAINERS = value;
    expect(await chooseTestParts()).toMatch(line);
    expect(inContainers()).toBe(value === 'true');
  });

  it('are embedded, with the reason, without an image', async () => {
    delete process.env.TEST_CONTAINERS;
    const { POSTGRES_IMAGE } = process.env;
    process.env.POSTGRES_IMAGE = 'localhost:1/none:0';
    try {
      expect(await chooseTestParts()).toMatch(
        /^Tests use the embedded PostgreSQL .*: (no container engine answers|the image localhost:1\/none:0 is neither .*)\.$/,
      );
      expect([process.env.TEST_CONTAINERS, inContainers()]).toEqual(['false', false]);
    } finally {
      if (POSTGRES_IMAGE === undefined) delete process.env.POSTGRES_IMAGE;
      else process.env.POSTGRES_IMAGE = POSTGRES_IMAGE;
    }
  });
});
