/** Something that was opened outside this process and must be stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * What is open, closed in the reverse of the order in which it was named. It serves an orderly end as well as a start
 * that fails half way, or is interrupted while something is still opening.
 */
export class Openings {
  readonly #open: { name: string; close: () => Promise<void> | void }[] = [];

  add(name: string, close: () => Promise<void> | void): void {
    this.#open.push({ name, close });
  }

  /** Takes note of something that is being opened, and hands it on; closing waits until it is open, or has failed. */
  own<T extends Stoppable>(name: string, opening: Promise<T>): Promise<T> {
    this.add(name, async () => {
      const opened = await opening.catch(() => undefined);
      await opened?.stop();
    });
    return opening;
  }

  /** One part that cannot be closed is told to `report` and does not keep the others open. */
  async closeAll(report: (name: string, error: unknown) => void): Promise<void> {
    for (const { name, close } of this.#open.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        report(name, error);
      }
    }
  }
}
