/** Lists every fault in the environment of a process, one line per variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Each `VARIABLE: fault`, never the value. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(['configuration refused:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.faults = faults;
  }
}
