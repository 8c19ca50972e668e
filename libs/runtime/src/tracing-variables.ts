/** What a timer of Node takes at most, and more than anybody can want of others. */
const MOST = 2 ** 31 - 1;

/** OpenTelemetry's variables of tracing: a value that cannot be used is passed over, and told. */
export class TracingVariables {
  /** `VARIABLE: what is wrong with it`, of each that is passed over. */
  readonly faults: string[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  text(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }

  passOver(name: string, fault: string): void {
    this.faults.push(`${name}: ${fault}`);
  }

  /**
   * What the first of these variables says that says something of use.
   * @param read throws an Error that says in words what is wrong with a text
   */
  first<T>(names: readonly string[], read: (text: string, name: string) => T): T | undefined {
    for (const name of names) {
      const text = this.text(name);
      if (text === undefined) continue;
      try {
        return read(text, name);
      } catch (error) {
        this.passOver(name, (error as Error).message);
      }
    }
    return undefined;
  }

  /** A whole number from 1 on. */
  count(names: readonly string[]): number | undefined {
    return this.first(names, (text) => {
      const number = Number(text);
      if (Number.isInteger(number) && number > 0 && number <= MOST) return number;
      throw new Error(`a whole number from 1 to ${MOST}`);
    });
  }
}
