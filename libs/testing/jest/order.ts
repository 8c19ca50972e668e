import jest from '@jest/test-sequencer';

// Its types are those of a module of the older kind, which has a default in its default.
const Sequencer = jest as unknown as typeof jest.default;

/** The test files of a run. */
export type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Containers come and go with interfaces of the machine's network. */
const CHANGES_NETWORK = /\/docker\/test\/images\.test\.ts$/;
/** A browser cuts its connections when an interface comes or goes, and its pages fail. */
const IN_A_BROWSER = /pages\.e2e\.test\.ts$/;

const placeOf = ({ path }: { path: string }): number => {
  if (CHANGES_NETWORK.test(path)) return 0;
  return IN_A_BROWSER.test(path) ? 2 : 1;
};

/** Jest's own order, but that what changes the machine's network comes first, and last what a change of it disturbs. */
export default class Order extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const own = await super.sort(tests);
    return own.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
