/** Lets a loop sleep until somebody has work for it; a call during the work counts for the next sleep. */
export class WakeUp {
  #called = false;
  #wake: (() => void) | undefined;

  call(): void {
    this.#called = true;
    this.#wake?.();
  }

  /** Resolves with the next call, at the latest after `milliseconds`. */
  async sleep(milliseconds: number): Promise<void> {
    if (!this.#called) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#called = false;
  }
}
